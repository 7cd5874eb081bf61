import { defineMetric, taskKinds } from '#kernel'
import { contributions, runSecondsBuckets, taskRuns } from '#kernel/system'
import { taskLedger } from '../ledger/ledger.ts'

const activeStatuses = ['pending', 'running'] as const

/** Kinds without tasks report 0, so that their series do not end. Omits recurring kinds, whose next task is always pending. */
const taskQueueMetric = defineMetric({
  name: 'svc_task_queue_depth',
  help: 'Pending and running background tasks by type.',
  type: 'gauge',
  labels: ['type', 'status'],
  uses: { taskLedger, contributions },
  series: [
    { name: 'tasks_pending', label: 'Pending', unit: 'count', where: { status: ['pending'] } },
    { name: 'tasks_running', label: 'Running', unit: 'count', where: { status: ['running'] } },
  ],
  async collect({ taskLedger, contributions }) {
    const regular = contributions.to(taskKinds).flatMap(({ item }) => (item.isRecurring ? [] : [item.kind]))
    const active = (await taskLedger.counts()).filter(({ status }) => status === 'pending' || status === 'running')
    // Includes pending tasks of kinds that no enabled plugin handles.
    const kinds = new Set([...regular, ...active.map(({ kind }) => kind)])
    return [...kinds].sort().flatMap((type) =>
      activeStatuses.map((status) => ({
        labels: { type, status },
        value: active.find((found) => found.kind === type && found.status === status)?.count ?? 0,
      })),
    )
  },
})

/** Every type has a sample, also at zero. */
const failedTasksMetric = defineMetric({
  name: 'svc_failed_tasks',
  help: 'Failed background tasks that no operator has dismissed, by type.',
  type: 'gauge',
  labels: ['type'],
  uses: { taskLedger, contributions },
  series: [{ name: 'tasks_failed', label: 'Failed', unit: 'count' }],
  async collect({ taskLedger, contributions }) {
    const failed = new Map(contributions.to(taskKinds).map(({ item }) => [item.kind, 0]))
    for (const { kind, status, count } of await taskLedger.counts()) if (status === 'failed') failed.set(kind, count)
    return [...failed].map(([type, value]) => ({ labels: { type }, value }))
  },
})

/** Name on the health page: one engine runs every task type. */
const worker = 'tasks'
const runLabels = ['worker', 'task_type', 'result']

/** Every type and result starts at 0: `increase()` does not see the first run of a series that begins at 1. */
const runsMetric = defineMetric({
  name: 'svc_worker_tasks_processed_total',
  help: 'Finished task runs. Results: success; wait (runs again later); retry (failed, runs again after a backoff); failure (failed permanently).',
  type: 'counter',
  labels: runLabels,
  uses: { taskRuns },
  collect: async ({ taskRuns }) =>
    taskRuns.counts().map(({ kind, result, runs }) => ({ labels: { worker, task_type: kind, result }, value: runs })),
})

const failuresMetric = defineMetric({
  name: 'svc_worker_tasks_failed_total',
  help: 'Background tasks that failed permanently, by type.',
  type: 'counter',
  labels: ['worker', 'task_type'],
  uses: { taskRuns },
  series: [{ name: 'task_failures', label: 'Task failures', unit: 'count' }],
  collect: async ({ taskRuns }) =>
    taskRuns
      .counts()
      .filter(({ result }) => result === 'failure')
      .map(({ kind, runs }) => ({ labels: { worker, task_type: kind }, value: runs })),
})

/** Only types and results that occurred: each label set is 15 lines of the page. */
const runSecondsMetric = defineMetric({
  name: 'svc_worker_task_duration_seconds',
  help: 'Duration of finished task runs in seconds, by type and result.',
  type: 'histogram',
  labels: runLabels,
  buckets: runSecondsBuckets,
  uses: { taskRuns },
  collect: async ({ taskRuns }) =>
    taskRuns
      .counts()
      .filter(({ runs }) => runs > 0)
      .map(({ kind, result, seconds }) => ({ labels: { worker, task_type: kind, result }, value: seconds })),
})

export const taskMetrics = [taskQueueMetric, failedTasksMetric, runsMetric, failuresMetric, runSecondsMetric]
