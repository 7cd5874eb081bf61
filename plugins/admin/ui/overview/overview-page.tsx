import { component$, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { Badge, Boundary, ErrorAlert, PageHeader, Skeleton, useParts, useQuery } from '@svc/ui-kit'
import { AttentionList } from './attention-list.tsx'
import { judgeHealth } from './concerns-policy.ts'
import { StatCards } from './stat-cards.tsx'

/** Tailwind reads class names from the text. */
const spans = { 3: 'lg:col-span-3', 4: 'lg:col-span-4', 6: 'lg:col-span-6', 8: 'lg:col-span-8', 12: 'lg:col-span-12' } as const

/** Whether the scripts of the cards were loaded in this tab. */
const cardScripts = { areLoaded: false }

export const OverviewPage = component$(() => {
  const overview = useQuery('GET /overview', undefined, { pollMs: 10_000 })
  const cards = useParts('cards')
  const hasCards = useSignal(cardScripts.areLoaded)
  // biome-ignore lint/correctness/noQwikUseVisibleTask: a drawing ends when all its scripts have arrived; the figures must not wait for those of cards and pictures
  useVisibleTask$(
    ({ track }) => {
      if (!track(() => overview.data ?? overview.error)) return
      cardScripts.areLoaded = true
      hasCards.value = true
    },
    { strategy: 'document-ready' },
  )
  const data = overview.data
  // No skeletons after a failed first read.
  const isFailed = !data && overview.error !== undefined
  const health = data && judgeHealth(data.chain_storage_health)
  return (
    <>
      <PageHeader title="Overview" description="What the gateway holds, does and waits for.">
        <span q:slot="badge">{health && <Badge tone={health.tone}>{health.text}</Badge>}</span>
      </PageHeader>
      <ErrorAlert
        error={overview.error}
        title={data ? 'The overview cannot be read again' : 'The overview cannot be read'}
        onRetry$={overview.refresh}
        class="mb-4"
      />
      {!isFailed && (
        <div class="mb-4">
          <AttentionList overview={data} />
        </div>
      )}
      {!isFailed && <StatCards overview={data} />}
      <div class="mt-4 grid gap-4 lg:grid-cols-12">
        {!isFailed &&
          cards.value.map(({ id, span, component: OverviewCard }) => (
            <div key={id} class={['flex min-w-0 empty:hidden *:flex-1', spans[span]]}>
              {hasCards.value ? (
                <Boundary what="card">
                  <OverviewCard />
                </Boundary>
              ) : (
                <Skeleton class="h-60 rounded-lg" />
              )}
            </div>
          ))}
      </div>
    </>
  )
})
