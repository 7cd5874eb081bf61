import {
  clock,
  configSections,
  database,
  dbSchemas,
  definePlugin,
  defineRecovery,
  dueTimes,
  metricCollectors,
  provide,
  taskKinds,
  taskQueue,
  taskRecoveries,
  taskSchedules,
} from '#kernel'
import { lifecycleEngine } from '#plugins/s3'
import { bucketDeletions } from '#plugins/storage'
import { lifecycleSection } from './settings.ts'

/** Carries out the lifecycle rules that clients of the S3 API store with buckets. While it is disabled, rules rest. */
export const lifecyclePlugin = definePlugin({
  id: 'lifecycle',
  requires: ['storage'],
  accompanies: ['s3'],
  provides: async () => {
    const { ActionCounts, actionCounts } = await import('./runs/action-counts.ts')
    const { expiryOf } = await import('./rules/expiry-policy.ts')
    const { realCalendar } = await import('./rules/calendar-policy.ts')
    return [
      provide(actionCounts, {}, () => new ActionCounts()),
      provide(lifecycleEngine, { database, clock, actionCounts }, (deps) => ({
        expiryOf: (rules, version) => expiryOf(rules, version, realCalendar),
        stateOf: async (bucketId) => (await import('./shown/lifecycle-state.ts')).readState(deps, bucketId),
      })),
    ]
  },
  contributes: [
    configSections.with(lifecycleSection),
    dueTimes.load(async () => (await import('./runs/run-store.ts')).runTimes),
    bucketDeletions.load(async () => {
      const { deleteRun } = await import('./runs/run-store.ts')
      return { name: 'lifecycle', deleted: deleteRun }
    }),
    metricCollectors.load(async () => (await import('./shown/lifecycle-metrics.ts')).lifecycleMetrics),
    taskKinds.load(
      async () => (await import('./runs/find-runs-task.ts')).findRunsTask,
      async () => (await import('./runs/apply-rules-task.ts')).applyRulesTask,
    ),
    taskSchedules.load(async () => (await import('./runs/find-runs-task.ts')).findRunsSchedule),
    taskRecoveries.with(
      defineRecovery({
        name: 'lifecycle',
        uses: { database, queue: taskQueue },
        async run({ database, queue }) {
          const { findRunsSchedule, findRunsTask } = await import('./runs/find-runs-task.ts')
          await database.write((tx) => queue.add(tx, findRunsTask, {}, { key: `${findRunsTask.kind}@${findRunsSchedule.name}` }))
        },
      }),
    ),
    dbSchemas.with({
      name: 'lifecycle',
      load: () => import('./migrations.ts'),
      entities: async () => [
        (await import('./runs/run-entity.ts')).lifecycleRunEntity,
        (await import('./runs/clock-entity.ts')).lifecycleClockEntity,
      ],
    }),
  ],
})
