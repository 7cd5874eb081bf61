/** The S3 API: its server, its users and their settings. */
import {
  adminRoutes,
  cliCommands,
  clock,
  configSections,
  database,
  dbSchemas,
  definePlugin,
  listeners,
  metricCollectors,
  provide,
} from '#kernel'
import { bucketOwnerChecks, buckets } from '#plugins/storage'
import { s3Users } from './contract.ts'
import { s3Listener } from './http/listener.ts'
import { OperationCounts, operationCounts, operationMetric } from './http/request-metrics.ts'
import { s3AccessSection, s3Section, serverSection, serverTlsSection } from './settings.ts'
import { userCommands } from './users/commands/commands.ts'
import { createUserDirectory, requireUser, userDirectory } from './users/user-directory.ts'
import { userRoutes } from './users/user-routes.ts'

export const s3Plugin = definePlugin({
  id: 's3',
  requires: ['storage'],
  provides: [
    provide(userDirectory, { database, buckets, clock }, createUserDirectory),
    provide(operationCounts, {}, () => new OperationCounts()),
    provide(s3Users, { userDirectory }, ({ userDirectory }) => userDirectory),
  ],
  contributes: [
    configSections.with(serverSection, serverTlsSection, s3Section, s3AccessSection),
    dbSchemas.with({ name: 's3', load: () => import('./users/migrations.ts') }),
    adminRoutes.with(userRoutes),
    cliCommands.with(...userCommands),
    listeners.with(s3Listener),
    // Runs in the transaction that sets the owner, so that a concurrent deletion of the user is seen.
    bucketOwnerChecks.with({ name: 's3-users', check: requireUser }),
    metricCollectors.with(operationMetric),
  ],
})
