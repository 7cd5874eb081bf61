import { component$ } from '@builder.io/qwik'
import { Ago, Alert, Badge, Button, call, ErrorAlert, invalidate, PageHeader, useAction$, useQuery } from '@svc/ui-kit'
import type { Cost } from '../runway-policy.ts'
import { AccountCard } from './account-card.tsx'
import { CostFigures } from './cost-figures.tsx'
import { EstimateCard } from './estimate-card.tsx'
import { FeesCard } from './fees-card.tsx'
import { LeaksCard } from './leaks-card.tsx'
import { LimitsCard } from './limits-card.tsx'
import { PriceListCard } from './price-list-card.tsx'
import { ReceiptsCard } from './receipts-card.tsx'
import { SharesCard } from './shares-card.tsx'

/** What storage costs, for how long the deposit lasts, and what was paid. */
export const CostPage = component$(() => {
  // The API lists 1000 buckets at most.
  const cost = useQuery('GET /cost', () => ({ query: { buckets: '1000' } }))
  const read = useAction$(async () => {
    await call('POST /cost/refresh', { query: { buckets: '0' } })
    invalidate(['GET /cost', 'GET /cost/leaks', 'GET /receipts', 'GET /buckets/:name/cost'])
  })
  const data = cost.data
  return (
    <>
      <PageHeader title="Costs" description="What the storage of this wallet costs, how long the deposit lasts, and what was paid.">
        <span q:slot="badge">{data && <Reading cost={data} />}</span>
        <Button
          q:slot="actions"
          icon="refresh-cw"
          changes="POST /cost/refresh"
          pending={read.isPending}
          pendingLabel="Reading"
          data-shortcut="r"
          onClick$={() => read.run()}
        >
          Read the chain now
        </Button>
      </PageHeader>
      <ErrorAlert error={cost.error ?? read.error} title="The costs cannot be read" onRetry$={cost.refresh} class="mb-4" />
      {data?.failure !== undefined && (
        <div class="mb-4">
          <Alert tone="warning" title="The chain node did not answer the latest read">
            {data.failure}. The figures are those of the last answer.
          </Alert>
        </div>
      )}
      <CostFigures cost={data} />
      <div class="mt-4 grid gap-4 lg:grid-cols-12">
        <div class="flex min-w-0 flex-col gap-4 lg:col-span-8">
          <SharesCard cost={data} />
          <LeaksCard />
          <EstimateCard />
          <div class="grid gap-4 md:grid-cols-2">
            <ReceiptsCard />
            <PriceListCard cost={data} />
          </div>
        </div>
        <div class="flex min-w-0 flex-col gap-4 lg:col-span-4">
          <LimitsCard cost={data} />
          <AccountCard cost={data} />
          <FeesCard cost={data} />
        </div>
      </div>
    </>
  )
})

const words = { fresh: ['success', 'Current'], stale: ['warning', 'Out of date'], unknown: ['neutral', 'Not read yet'] } as const

const Reading = ({ cost: { freshness, read_at } }: { cost: Cost }) => (
  <span class="inline-flex items-center gap-2 text-xs text-muted">
    <Badge tone={words[freshness][0]}>{words[freshness][1]}</Badge>
    {read_at !== null && <Ago time={read_at} />}
  </span>
)
