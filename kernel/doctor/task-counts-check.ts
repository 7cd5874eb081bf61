import { database } from '../db/database.ts'
import { recountTasks, taskGroupId, wrongTaskCounts } from '../tasks/rows/recount-store.ts'
import { defineDoctorFix } from './check.ts'
import { checkOfRules } from './row-rules.ts'

const fixName = 'kernel.task-counts'

export const taskCountsCheck = checkOfRules({
  name: 'kernel.task-counts',
  title: 'Counters of tasks by kind and status against the rows',
  proves: [],
  rules: [
    {
      severity: 'warning',
      kind: 'task counter',
      violation: 'task_counts differs from the rows of tasks',
      repair: 'Run svc doctor --fix, which counts again; until then lists of tasks are incomplete, and due tasks may start late',
      fix: fixName,
      find: wrongTaskCounts,
    },
  ],
})

export const taskCountsFix = defineDoctorFix({
  name: fixName,
  title: 'Count the tasks of the kind and status again',
  target: { form: 'the kind, status and acknowledgement of tasks, as cache_evict/failed/0', pattern: taskGroupId },
  uses: { database },
  apply: ({ database }, target) => database.write((tx) => recountTasks(tx, target)),
})
