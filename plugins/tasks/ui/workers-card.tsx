import { component$ } from '@builder.io/qwik'
import { Ago, Badge, Card, ErrorAlert, formatPlural, SkeletonLines, useQuery } from '@svc/ui-kit'

/** Whether background work makes progress. */
export const WorkersCard = component$(() => {
  const workers = useQuery('GET /workers')
  const details = workers.data && Object.entries(workers.data.details)
  return (
    <Card title="Workers" note="now">
      <ErrorAlert error={workers.error} onRetry$={workers.refresh} />
      {!details && !workers.error && <SkeletonLines lines={2} label="Loading the workers" />}
      {details && (
        <ul class="flex flex-col divide-y">
          {details.map(([name, { healthy, last_tick_at, active }]) => (
            <li key={name} class="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5 text-sm">
              <span class="flex min-w-0 items-center gap-2">
                <span class="font-medium">{name}</span>
                <Badge tone={healthy ? 'success' : 'danger'}>{healthy ? 'Making progress' : 'Stuck'}</Badge>
              </span>
              <span class="text-xs text-muted">
                {formatPlural(active, 'task')} running · last sign <Ago time={last_tick_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
})
