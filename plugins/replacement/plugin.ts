import {
  adminRoutes,
  cliCommands,
  clock,
  dashboardUis,
  dbSchemas,
  definePlugin,
  eventKinds,
  events,
  log,
  metricCollectors,
  provide,
} from '#kernel'
import { bucketDetailParts, overviewParts } from '#plugins/admin'
import { replacementCommands } from './commands/commands.ts'

/** Moves replicas of buckets to other storage providers. */
export const replacementPlugin = definePlugin({
  id: 'replacement',
  requires: ['replication', 'storage', 'providers'],
  provides: async () => {
    const { buckets } = await import('#plugins/storage')
    const { replacementChanges, replacements } = await import('./contract.ts')
    const { createReplacementUpdates, replacementUpdates } = await import('./events/replacement-updates.ts')
    return [
      provide(replacementUpdates, { replacements, changes: replacementChanges, buckets, events, clock, log }, createReplacementUpdates),
    ]
  },
  contributes: [
    adminRoutes.load(async () => (await import('./api/replacement-routes.ts')).replacementRoutes),
    overviewParts.load(async () => (await import('./api/replacement-parts.ts')).replacementOverview),
    bucketDetailParts.load(async () => (await import('./api/replacement-parts.ts')).bucketReplacementsPart),
    eventKinds.load(async () => (await import('./events/replacement-updates.ts')).replacementUpdated),
    metricCollectors.load(async () => (await import('./metrics/replacement-metrics.ts')).replacementMetric),
    cliCommands.with(...replacementCommands),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    dbSchemas.with({
      name: 'replacement',
      load: async () => ({ migrations: (await import('./migrations/all-migrations.ts')).replacementMigrations }),
      entities: async () => [
        (await import('./records/replacement-entity.ts')).replacementEntity,
        (await import('./records/item-entity.ts')).replacementItemEntity,
      ],
    }),
  ],
})
