/** Safe repairs: totals of data sets, and tasks of copies. */
import { clock, database, type TaskQueue, type Tx, taskQueue } from '#kernel'
import { defineDoctorFix, rowIdTarget } from '#kernel/system'
import { createSchedule } from '../schedule.ts'
import { fixNames } from './fix-names.ts'
import { findStuckCopy } from './stuck-copies-store.ts'
import { recountDataSet } from './totals-store.ts'

export const replicationFixes = [
  defineDoctorFix({
    name: fixNames.dataSetTotals,
    title: 'Count the copies and versions of the data set again',
    target: rowIdTarget('data set'),
    uses: { database },
    apply: ({ database }, target) => database.write((tx) => recountDataSet(tx, Number(target))),
  }),
  defineDoctorFix({
    name: fixNames.resumeCopy,
    title: 'Enqueue the task of the copy',
    target: rowIdTarget('copy'),
    uses: { database, taskQueue, clock },
    apply: ({ database, taskQueue, clock }, target) =>
      database.write((tx) => resume({ queue: taskQueue, nowMs: clock.now() }, tx, Number(target))),
  }),
]

/** Every task looks up the state of its copies first, so that an unnecessary one has no effect. */
async function resume({ queue, nowMs }: { readonly queue: TaskQueue; readonly nowMs: number }, tx: Tx, id: number): Promise<boolean> {
  const found = await findStuckCopy(tx, id)
  if (found === undefined) return false
  const schedule = createSchedule(queue)
  if (found.work === 'store') await schedule.store(tx, found.contentId)
  else await schedule[found.work](tx, found.dataSetId, nowMs)
  return true
}
