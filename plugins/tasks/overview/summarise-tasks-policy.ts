/** Task counts of the overview. */
import type { TaskCount } from '../ledger/ledger.ts'

/** The member `tasks` of the overview. */
interface TaskSummary {
  readonly by_status: Readonly<Record<'pending' | 'running' | 'completed' | 'failed' | 'cancelled', number>>
  readonly attention: { readonly failed: number }
  readonly active_pipeline: readonly ActiveWork[]
}

interface ActiveWork {
  readonly operation: string
  readonly by_status: { readonly pending: number; readonly running: number }
  readonly total: number
}

export function summariseTasks(counts: readonly TaskCount[]): TaskSummary {
  const sum = (...statuses: readonly TaskCount['status'][]) =>
    counts.reduce((total, { status, count }) => (statuses.includes(status) ? total + count : total), 0)
  return {
    by_status: {
      pending: sum('pending'),
      running: sum('running'),
      completed: sum('completed'),
      failed: sum('failed', 'dismissed'),
      cancelled: sum('cancelled'),
    },
    attention: { failed: sum('failed') },
    active_pipeline: listActive(counts),
  }
}

function listActive(counts: readonly TaskCount[]): readonly ActiveWork[] {
  return [...Map.groupBy(counts, ({ kind }) => kind).values()].flatMap((ofKind) => {
    const count = (wanted: TaskCount['status']) => ofKind.find(({ status }) => status === wanted)?.count ?? 0
    const by_status = { pending: count('pending'), running: count('running') }
    const total = by_status.pending + by_status.running
    return total === 0 ? [] : [{ operation: ofKind[0]?.label ?? '', by_status, total }]
  })
}
