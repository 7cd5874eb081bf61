import { component$, useSignal } from '@builder.io/qwik'
import { Card, ErrorAlert, SkeletonLines, Tabs, TimeChart, useQuery } from '@svc/ui-kit'
import { draw, namesToAsk, ranges } from './history-policy.ts'

/** Throughput, operations, latency, backlog, cache and spending over the last hour to quarter, as the service has measured them. */
export const HistoryCard = component$(() => {
  const range = useSignal<string>(ranges[1].id)
  const known = useQuery('GET /observability/series/names')
  const history = useQuery(
    'GET /observability/series',
    () => {
      const names = known.data && namesToAsk(known.data)
      const chosen = ranges.find(({ id }) => id === range.value) ?? ranges[1]
      return names === undefined ? null : { query: { names, from: chosen.from, step: chosen.step } }
    },
    { pollMs: 20_000 },
  )
  const error = known.error ?? history.error
  return (
    <Card title="Over time">
      <Tabs label="Time range" value={range} tabs={ranges.map(({ id, label }) => ({ id, label }))}>
        <ErrorAlert error={error} onRetry$={known.error ? known.refresh : history.refresh} class="mb-3" />
        {!history.data && !error && <SkeletonLines lines={6} label="Loading the history" />}
        {history.data && (
          <div class="grid gap-x-6 gap-y-4 lg:grid-cols-3">
            {draw(history.data).map(({ title, unit, times, series }) => (
              <div key={title} class="min-w-0">
                <h3 class="mb-1 text-xs font-medium text-muted">{title}</h3>
                <TimeChart
                  label={title}
                  times={times}
                  series={series}
                  unit={unit}
                  height={112}
                  emptyText="Nothing was measured in this time. The first figures follow within a minute of the start."
                />
              </div>
            ))}
          </div>
        )}
      </Tabs>
    </Card>
  )
})
