import { adminRoutes, cliCommands, clock, dashboardUis, database, definePlugin, events, metricCollectors, provide } from '#kernel'
import { taskChanges, taskControl } from '#kernel/system'
import { overviewParts } from '#plugins/admin'
import { taskCommands } from './commands/commands.ts'

/** Lists, counts, events and metrics of background tasks, and what operators do with failed ones. The engine is in the kernel. */
export const tasksPlugin = definePlugin({
  id: 'tasks',
  provides: async () => {
    const { createLedger } = await import('./ledger/create-ledger.ts')
    const { taskLedger } = await import('./ledger/ledger.ts')
    const { createTaskUpdates, taskUpdates } = await import('./ledger/task-updates.ts')
    return [
      provide(taskUpdates, { clock, events, changes: taskChanges }, createTaskUpdates),
      provide(taskLedger, { database, clock, control: taskControl, taskUpdates }, ({ taskUpdates, ...deps }) =>
        createLedger({ ...deps, onDismissed: (task) => taskUpdates.add(task) }),
      ),
    ]
  },
  contributes: [
    adminRoutes.load(
      async () => (await import('./task-routes.ts')).taskRoutes,
      async () => (await import('./workers/workers-routes.ts')).workersRoutes,
    ),
    cliCommands.with(...taskCommands),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    metricCollectors.load(async () => (await import('./metrics/task-metrics.ts')).taskMetrics),
    overviewParts.load(async () => (await import('./overview/overview-parts.ts')).taskOverviewParts),
  ],
})
