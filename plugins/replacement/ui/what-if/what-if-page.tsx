import { component$, useTask$ } from '@builder.io/qwik'
import { Empty, ErrorAlert, LinkButton, PageHeader, SkeletonLines, useParam, useQuery } from '@svc/ui-kit'
import { HealCard } from './heal-card.tsx'
import { readProviderId } from './what-if-policy.ts'
import { Buckets, Risks } from './what-if-tables.tsx'

/** A count over a million copies takes several seconds: it is not asked for again and again. */
const pollMs = 600_000

/** What would be at risk if a provider were gone, and what healing takes. Nothing is changed. */
export const WhatIfPage = component$(() => {
  const id = useParam('id')
  const answer = useQuery(
    'GET /storage-replacements/what-if',
    () => {
      const provider = readProviderId(id)
      return provider === undefined ? null : { query: { provider_id: provider } }
    },
    { pollMs },
  )
  useTask$(() => {
    document.title = `If provider ${id} fails · svc`
  })
  const found = answer.data
  const isUnknown = readProviderId(id) === undefined || answer.error?.status === 404
  return (
    <>
      <PageHeader
        title={`If ${found?.provider_name ?? `provider ${id}`} fails`}
        description="What would be at risk if the provider were gone now. Nothing is changed."
        crumbs={[{ label: 'Providers', to: '/providers' }, { label: id, to: `/providers/${encodeURIComponent(id)}` }, { label: 'What if' }]}
      />
      {isUnknown ? (
        <Empty icon="server-off" title="No such provider" text="No registered provider has this id, and no data set is there.">
          <LinkButton href="/providers">All providers</LinkButton>
        </Empty>
      ) : (
        <ErrorAlert error={answer.error} onRetry$={answer.refresh} class="mb-4" />
      )}
      {!found && !isUnknown && !answer.error && <SkeletonLines lines={8} label="Counting the copies of the provider" />}
      {found && (
        <div class="grid min-w-0 items-start gap-5 lg:grid-cols-12">
          <div class="flex min-w-0 flex-col gap-5 lg:col-span-8">
            <Risks found={found} />
            <Buckets found={found} />
          </div>
          <div class="min-w-0 lg:col-span-4">
            <HealCard found={found} />
          </div>
        </div>
      )}
    </>
  )
})
