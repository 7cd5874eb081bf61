import {
  adminRoutes,
  cliCommands,
  dashboardUis,
  dbSchemas,
  definePlugin,
  dueTimes,
  eventKinds,
  metricCollectors,
  taskKinds,
  taskRecoveries,
  taskSchedules,
} from '#kernel'
import { doctorChecks, doctorFixes, memoryParts } from '#kernel/system'
import { bucketDeletions, byteSources, copyDefaults, copyKeepers, releaseGuards } from '#plugins/storage'
import { providerKnowledge } from '#plugins/wallet'
import { confirmationCommands } from './confirmations/commands/commands.ts'
import { raiseCommands } from './raises/commands/commands.ts'
import { confirmationUpdated } from './states/copy-events.ts'

/** Copies of contents on paid providers: pieces, data sets, submissions, removals and reads of contents that are not cached. */
export const replicationPlugin = definePlugin({
  id: 'replication',
  requires: ['storage', 'wallet', 'providers'],
  provides: async () => (await import('./wiring.ts')).replicationServices,
  contributes: [
    dbSchemas.with({
      name: 'replication',
      load: async () => ({ migrations: (await import('./migrations/all-migrations.ts')).replicationMigrations }),
      entities: async () => (await import('./entities.ts')).replicationEntities,
    }),
    copyKeepers.load(async () => (await import('./attach/attach.ts')).pieceKeeper),
    byteSources.load(async () => (await import('./attach/attach.ts')).providerSource),
    releaseGuards.load(async () => (await import('./attach/attach.ts')).standingGuard),
    providerKnowledge.load(async () => (await import('./datasets/providers-in-use.ts')).providersInUse),
    copyDefaults.load(async () => (await import('./attach/attach.ts')).chainCopyDefaults),
    taskKinds.load(
      async () => (await import('./copies/placing/store-task.ts')).storeTask,
      async () => (await import('./datasets/ensure-data-set-task.ts')).ensureDataSetTask,
      async () => (await import('./copies/ingress/park-task.ts')).parkTask,
      async () => (await import('./copies/pulls/pull-task.ts')).pullTask,
      async () => (await import('./copies/batches/commit-task.ts')).commitTask,
      async () => (await import('./removals/cleanup-task.ts')).cleanupTask,
      async () => (await import('./finality/verify-landings-task.ts')).verifyLandingsTask,
      async () => (await import('./endings/end-data-set-task.ts')).endDataSetTask,
      async () => (await import('./resumption/resume-work-task.ts')).resumeWorkTask,
      async () => (await import('./standing/count-again-task.ts')).countAgainTask,
      async () => (await import('./raises/raise-task.ts')).raiseTask,
    ),
    memoryParts.load(
      async () => (await import('./attach/memory-parts.ts')).pieceThreadsMemory,
      async () => (await import('./attach/memory-parts.ts')).remoteReadsMemory,
    ),
    dueTimes.load(async () => (await import('./attach/due-times-store.ts')).replicationDueTimes),
    taskRecoveries.load(
      async () => (await import('./resumption/store-freed.ts')).storeFreedRecovery,
      async () => (await import('./resumption/resume-work-task.ts')).resumeWorkRecovery,
      async () => (await import('./raises/raise-task.ts')).raiseRecovery,
    ),
    taskSchedules.load(async () => (await import('./resumption/resume-work-task.ts')).resumeWorkSchedule),
    metricCollectors.load(
      async () => (await import('./copies/views/object-metrics.ts')).objectStateMetric,
      async () => (await import('./attach/commit-metrics.ts')).commitMetrics,
      async () => (await import('./attach/read-metrics.ts')).readAheadMetric,
      async () => (await import('./confirmations/confirmation-metrics.ts')).confirmationMetric,
      async () => (await import('./resumption/stuck-metrics.ts')).stuckObjectsMetric,
      async () => (await import('./resumption/stuck-metrics.ts')).stuckDataSetsMetric,
    ),
    bucketDeletions.load(async () => (await import('./raises/forget-raises.ts')).raisesDeletion),
    adminRoutes.load(
      async () => (await import('./confirmations/confirmation-routes.ts')).confirmationRoutes,
      async () => (await import('./raises/raise-routes.ts')).raiseRoutes,
      async () => (await import('./shortfall/shortfall-routes.ts')).shortfallRoutes,
    ),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    cliCommands.with(...confirmationCommands, ...raiseCommands),
    doctorChecks.load(async () => (await import('./doctor/checks.ts')).replicationChecks),
    doctorFixes.load(async () => (await import('./doctor/fixes.ts')).replicationFixes),
    eventKinds.with(confirmationUpdated),
    eventKinds.load(async () => {
      const { uploadProgressUpdated, uploadStateChanged } = await import('./copies/views/upload-events.ts')
      return [uploadProgressUpdated, uploadStateChanged]
    }),
  ],
})
