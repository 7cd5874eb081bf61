import { adminRoutes, cliCommands, definePlugin, events, provide } from '#kernel'
import { bucketRoutes } from './buckets/bucket-routes.ts'
import { adminCommands } from './commands/commands.ts'
import { createEventHub, eventHub } from './events/event-hub.ts'
import { eventRoutes } from './events/event-routes.ts'
import { affectedVersionRoutes } from './objects/affected-version-routes.ts'
import { deletionRoutes } from './objects/deletion-routes.ts'
import { objectRoutes } from './objects/object-routes.ts'
import { transferRoutes } from './objects/transfer-routes.ts'
import { versionRoutes } from './objects/version-routes.ts'
import { openApiRoutes } from './openapi/openapi-routes.ts'
import { overviewRoutes } from './overview/overview-routes.ts'
import { settingsRoutes } from './settings/settings-routes.ts'
import { systemRoutes } from './system/system-routes.ts'

/** Admin routes and commands for buckets, objects, settings, events and the service itself. */
export const adminPlugin = definePlugin({
  id: 'admin',
  requires: ['storage'],
  provides: [provide(eventHub, { events }, ({ events }) => createEventHub(events))],
  contributes: [
    adminRoutes.with(
      settingsRoutes,
      systemRoutes,
      overviewRoutes,
      bucketRoutes,
      objectRoutes,
      transferRoutes,
      versionRoutes,
      deletionRoutes,
      affectedVersionRoutes,
      eventRoutes,
      openApiRoutes,
    ),
    cliCommands.with(...adminCommands),
  ],
})
