import { component$ } from '@builder.io/qwik'
import { Alert, Card, ErrorAlert, KeyValue, KeyValues, Link, Money, SkeletonLines, toneText, useQuery } from '@svc/ui-kit'
import { fundedUntil, runwayText, runwayTones } from '../runway-policy.ts'

/** Runway and rate, on the overview. */
export const CostCard = component$(() => {
  const cost = useQuery('GET /cost', () => ({ query: { buckets: '0' } }))
  const data = cost.data
  return (
    <Card title="Costs">
      <Link q:slot="actions" to="/costs" class="text-accent hover:underline">
        All costs
      </Link>
      {!data &&
        (cost.error ? <ErrorAlert error={cost.error} onRetry$={cost.refresh} /> : <SkeletonLines lines={5} label="Loading the costs" />)}
      {data && (
        <>
          <p class="text-xs text-muted">The deposit lasts</p>
          <p class={['text-2xl font-semibold tracking-tight', data.runway.level !== 'ok' && toneText[runwayTones[data.runway.level]]]}>
            {runwayText(data.runway)}
          </p>
          <p class="min-h-4 text-xs text-muted">{fundedUntil(data.runway)}</p>
          {(data.limits.daily.is_reached || data.limits.monthly.is_reached) && (
            <div class="mt-3">
              <Alert tone="warning">A spend limit is reached: new paid work waits.</Alert>
            </div>
          )}
          <KeyValues class="mt-3 border-t">
            <KeyValue label="Each day">
              <Money value={data.rate?.per_day} price />
            </KeyValue>
            <KeyValue label="Each month">
              <Money value={data.rate?.per_month} price />
            </KeyValue>
          </KeyValues>
        </>
      )}
    </Card>
  )
})
