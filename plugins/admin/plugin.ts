import {
  adminRoutes,
  cliCommands,
  dashboardUis,
  database,
  dbSchemas,
  definePlugin,
  events,
  optional,
  provide,
  taskKinds,
  taskRecoveries,
} from '#kernel'
import { adminCommands } from './commands/commands.ts'
import { bucketDetailParts } from './contract.ts'

/** Admin routes and commands for buckets, objects, settings, events and the service itself. */
export const adminPlugin = definePlugin({
  id: 'admin',
  requires: ['storage'],
  provides: async () => {
    const { createEventHub, eventHub } = await import('./events/event-hub.ts')
    const { placements } = await import('#plugins/replication')
    const { buckets, contents } = await import('#plugins/storage')
    const { placementsWithout, shownPlacements } = await import('./buckets/shown-placements.ts')
    return [
      provide(eventHub, { events }, ({ events }) => createEventHub(events)),
      provide(
        shownPlacements,
        { placements: optional(placements), buckets, contents, database },
        ({ placements, ...storage }) => placements ?? placementsWithout(storage),
      ),
    ]
  },
  contributes: [
    adminRoutes.load(
      async () => (await import('./settings/settings-routes.ts')).settingsRoutes,
      async () => (await import('./system/system-routes.ts')).systemRoutes,
      async () => (await import('./system/restart-routes.ts')).restartRoutes,
      async () => (await import('./overview/overview-routes.ts')).overviewRoutes,
      async () => (await import('./buckets/bucket-routes.ts')).bucketRoutes,
      async () => (await import('./objects/object-routes.ts')).objectRoutes,
      async () => (await import('./objects/transfer-routes.ts')).transferRoutes,
      async () => (await import('./objects/version-routes.ts')).versionRoutes,
      async () => (await import('./objects/deletion-routes.ts')).deletionRoutes,
      async () => (await import('./objects/affected-version-routes.ts')).affectedVersionRoutes,
      async () => (await import('./contents/content-routes.ts')).contentRoutes,
      async () => (await import('./bulk/bulk-routes.ts')).bulkRoutes,
      async () => (await import('./archives/archive-routes.ts')).archiveRoutes,
      async () => (await import('./events/event-routes.ts')).eventRoutes,
      async () => (await import('./doctor/doctor-routes.ts')).doctorRoutes,
      async () => (await import('./openapi/openapi-routes.ts')).openApiRoutes,
      async () => (await import('./dashboard/dashboard-routes.ts')).dashboardRoutes,
    ),
    bucketDetailParts.load(async () => (await import('./bulk/bulk-part.ts')).bucketBulkPart),
    taskKinds.load(async () => (await import('./bulk/bulk-action-task.ts')).bulkActionTask),
    taskRecoveries.load(async () => (await import('./bulk/bulk-action-task.ts')).bulkRecovery),
    dbSchemas.with({
      name: 'admin',
      load: async () => ({ migrations: (await import('./migrations.ts')).adminMigrations }),
      entities: async () => [(await import('./bulk/bulk-action-entity.ts')).bulkActionEntity],
    }),
    cliCommands.with(...adminCommands),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
  ],
})
