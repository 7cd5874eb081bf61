import { component$, type JSXOutput } from '@builder.io/qwik'
import { Badge, Card, ErrorAlert, Link, Money, SkeletonLines, toneText, useQuery } from '@svc/ui-kit'
import { type Cost, fundedUntil, runwayText, runwayTones } from '../runway-policy.ts'

/** Runway and rate, on the overview. */
export const CostCard = component$(() => {
  const cost = useQuery('GET /cost', () => ({ query: { buckets: '0' } }))
  return (
    <Card title="Costs">
      <Link q:slot="actions" to="/costs" class="text-accent hover:underline">
        All costs
      </Link>
      {!cost.data && cost.error && <ErrorAlert error={cost.error} onRetry$={cost.refresh} />}
      {!cost.data && !cost.error && <SkeletonLines lines={2} label="Loading the costs" />}
      {cost.data && <Figures cost={cost.data} />}
    </Card>
  )
})

const Figures = ({ cost: { runway, rate, fees, limits } }: { cost: Cost }) => (
  <dl class="grid grid-cols-2 gap-x-6 gap-y-3 lg:grid-cols-4">
    {figure(
      'The deposit lasts',
      <span class={runway.level !== 'ok' && toneText[runwayTones[runway.level]]}>
        {runwayText(runway)} <span class="text-xs font-normal text-muted">{fundedUntil(runway)}</span>
      </span>,
    )}
    {figure('Storage each day', <Money value={rate?.per_day} price />)}
    {figure('Storage each month', <Money value={rate?.per_month} price />)}
    {limits.daily.is_reached || limits.monthly.is_reached
      ? figure('Spend limit', <Badge tone="warning">Reached: new paid work waits</Badge>)
      : figure('Fees so far', <Money value={fees.total} price />)}
  </dl>
)

const figure = (label: string, value: JSXOutput) => (
  <div class="min-w-0">
    <dt class="text-xs text-muted">{label}</dt>
    <dd class="mt-0.5 text-lg font-semibold">{value}</dd>
  </div>
)
