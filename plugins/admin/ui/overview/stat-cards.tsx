import { component$ } from '@builder.io/qwik'
import { type Answer, formatBytes, formatCount, formatExactBytes, formatExactCount, formatPercent, StatCard } from '@svc/ui-kit'

/** The four figures. */
export const StatCards = component$<{ overview: Answer<'GET /overview'> | undefined }>(({ overview }) => {
  const { buckets, objects, tasks } = overview ?? {}
  const open = tasks && tasks.by_status.pending + tasks.by_status.running
  const failed = tasks?.attention.failed ?? 0
  return (
    <div class="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <StatCard
        label="Buckets"
        icon="database"
        href="/buckets"
        value={buckets && formatCount(buckets.total)}
        exact={buckets && formatExactCount(buckets.total)}
        sub={buckets && bucketText(buckets.by_status)}
      />
      <StatCard
        label="Objects"
        icon="boxes"
        href="/buckets"
        value={objects && formatCount(objects.total)}
        exact={objects && formatExactCount(objects.total)}
        sub={objects && storedText(objects)}
      />
      <StatCard
        label="Data"
        icon="hard-drive"
        value={objects && formatBytes(objects.total_size_bytes)}
        exact={objects && formatExactBytes(objects.total_size_bytes)}
        sub={objects && 'In current versions'}
      />
      <StatCard
        label="Open tasks"
        icon="list-checks"
        href="/tasks"
        value={open === undefined ? undefined : formatCount(open)}
        sub={tasks && (failed > 0 ? `${formatCount(failed)} failed` : 'None failed')}
        subTone={failed > 0 ? 'danger' : undefined}
      />
    </div>
  )
})

const storedText = ({ total, by_state }: Answer<'GET /overview'>['objects']): string =>
  total === 0 ? 'Nothing uploaded yet' : `${formatPercent(by_state.stored, total)} stored with all copies`

const bucketText = (byStatus: Readonly<Record<string, number>>): string =>
  Object.entries(byStatus)
    .map(([status, count]) => `${formatCount(count)} ${status}`)
    .join(', ')
