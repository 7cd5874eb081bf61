/** Safe repairs: totals of data sets, and tasks of contents and data sets. */
import { database, type Tx, taskQueue } from '#kernel'
import { defineDoctorFix, rowIdTarget } from '#kernel/system'
import type { Schedule } from '../pipeline.ts'
import { createSchedule } from '../schedule.ts'
import { needsItsStore } from '../stuck/stuck-contents-store.ts'
import { worksOfSet } from '../stuck/stuck-sets-store.ts'
import { fixNames } from './fix-names.ts'
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
    name: fixNames.resumeContent,
    title: 'Enqueue the store task of the content',
    target: rowIdTarget('content'),
    uses: { database, taskQueue },
    apply: ({ database, taskQueue }, target) => database.write((tx) => resumeContent(createSchedule(taskQueue), tx, Number(target))),
  }),
  defineDoctorFix({
    name: fixNames.resumeDataSet,
    title: 'Enqueue the tasks that the data set needs',
    target: rowIdTarget('data set'),
    uses: { database, taskQueue },
    apply: ({ database, taskQueue }, target) => database.write((tx) => resumeDataSet(createSchedule(taskQueue), tx, Number(target))),
  }),
]

/** Every task looks up the state first, so that an unnecessary one has no effect. */
async function resumeContent(schedule: Schedule, tx: Tx, id: number): Promise<boolean> {
  if (!(await needsItsStore(tx, id))) return false
  await schedule.store(tx, id)
  return true
}

async function resumeDataSet(schedule: Schedule, tx: Tx, id: number): Promise<boolean> {
  const works = await worksOfSet(tx, id)
  for (const work of works) await schedule[work](tx, id)
  return works.length > 0
}
