/** Families about the service as a whole. Those about one part of it are contributed by that part. */
import { contributions, defineMetric, taskKinds, taskLedger, version } from '#kernel'

export const buildMetric = defineMetric({
  name: 'svc_build_info',
  help: 'What runs; the value is always 1.',
  type: 'gauge',
  labels: ['version', 'commit'],
  uses: {},
  collect: async () => [{ labels: { version: version.version, commit: version.commit }, value: 1 }],
})

const activeStatuses = ['pending', 'running'] as const

/** Kinds without tasks stand at zero, so that no line ends when its last task does. Recurring kinds are always due: they say nothing. */
export const taskQueueMetric = defineMetric({
  name: 'svc_task_queue_depth',
  help: 'Background tasks that wait or run, by type.',
  type: 'gauge',
  labels: ['type', 'status'],
  uses: { taskLedger, contributions },
  async collect({ taskLedger, contributions }) {
    const regular = contributions.to(taskKinds).flatMap(({ item }) => (item.isRecurring ? [] : [item.kind]))
    const active = taskLedger.counts().filter(({ status }) => status === 'pending' || status === 'running')
    // Tasks of kinds that no enabled plugin handles wait too.
    const kinds = new Set([...regular, ...active.map(({ kind }) => kind)])
    return [...kinds].sort().flatMap((type) =>
      activeStatuses.map((status) => ({
        labels: { type, status },
        value: active.find((found) => found.kind === type && found.status === status)?.count ?? 0,
      })),
    )
  },
})
