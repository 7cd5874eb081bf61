import { component$ } from '@builder.io/qwik'
import { type Answer, formatBytes, formatCount, formatExactCount, formatPercent, StatCard } from '@svc/ui-kit'
import { describeUnstored } from './unstored-policy.ts'

/** The four figures; grey blocks until they are known. */
export const StatCards = component$<{ overview: Answer<'GET /overview'> | undefined }>(({ overview }) => (
  <div class="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
    {overview ? <Figures overview={overview} /> : names.map((label) => <StatCard key={label} label={label} value={undefined} />)}
  </div>
))

const names = ['Buckets', 'Objects', 'Stored with all copies', 'Open tasks'] as const

const Figures = ({ overview: { buckets, objects, tasks } }: { overview: Answer<'GET /overview'> }) => {
  const failed = tasks.attention.failed
  return (
    <>
      <StatCard
        label="Buckets"
        icon="database"
        href="/buckets"
        value={formatCount(buckets.total)}
        exact={formatExactCount(buckets.total)}
        sub={bucketText(buckets.by_status)}
      />
      <StatCard
        label="Objects"
        icon="boxes"
        href="/buckets"
        value={formatCount(objects.total)}
        exact={formatExactCount(objects.total)}
        sub={`${formatBytes(objects.total_size_bytes)} in current versions`}
      />
      <StatCard
        label="Stored with all copies"
        icon="shield-check"
        value={formatPercent(objects.by_state.stored, objects.total)}
        exact={`${formatExactCount(objects.by_state.stored)} of ${formatExactCount(objects.total)} objects`}
        sub={describeUnstored(objects)}
      />
      <StatCard
        label="Open tasks"
        icon="list-checks"
        href="/tasks"
        value={formatCount(tasks.by_status.pending + tasks.by_status.running)}
        sub={failed > 0 ? `${formatCount(failed)} failed` : 'None failed'}
        subTone={failed > 0 ? 'danger' : undefined}
      />
    </>
  )
}

const bucketText = (byStatus: Readonly<Record<string, number>>): string =>
  Object.entries(byStatus)
    .map(([status, count]) => `${formatCount(count)} ${status}`)
    .join(', ')
