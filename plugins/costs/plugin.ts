import {
  adminRoutes,
  cliCommands,
  clock,
  dashboardUis,
  database,
  dbSchemas,
  definePlugin,
  metricCollectors,
  provide,
  taskKinds,
  taskSchedules,
} from '#kernel'
import { routeGuards } from '#kernel/system'
import { bucketDetailParts, overviewParts } from '#plugins/admin'
import { costCommands } from './commands/commands.ts'

/** What storage costs, how long the deposit lasts, and receipts of what was paid. */
export const costsPlugin = definePlugin({
  id: 'costs',
  requires: ['storage'],
  accompanies: ['wallet', 'replication'],
  provides: async () => {
    const { warmStorageReads } = await import('#plugins/providers')
    const { paidWork } = await import('#plugins/replication')
    const { chainClient, funds, signer } = await import('#plugins/wallet')
    const { costBook } = await import('./contract.ts')
    const { createCostBook } = await import('./book/cost-book.ts')
    return [provide(costBook, { database, chain: chainClient, signer, funds, reads: warmStorageReads, paidWork, clock }, createCostBook)]
  },
  contributes: [
    adminRoutes.load(
      async () => (await import('./cost/cost-routes.ts')).costRoutes,
      async () => (await import('./leaks/leak-routes.ts')).leakRoutes,
      async () => (await import('./receipts/receipt-routes.ts')).receiptRoutes,
    ),
    routeGuards.load(async () => (await import('./prices/price-guard.ts')).priceGuard),
    overviewParts.load(async () => (await import('./cost/cost-parts.ts')).costOverview),
    bucketDetailParts.load(async () => (await import('./cost/cost-parts.ts')).bucketCostPart),
    metricCollectors.load(async () => (await import('./cost/cost-metrics.ts')).costMetrics),
    taskKinds.load(async () => (await import('./book/read-costs-task.ts')).readCostsTask),
    taskSchedules.load(async () => (await import('./book/read-costs-task.ts')).costsSchedule),
    cliCommands.with(...costCommands),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    dbSchemas.with({
      name: 'costs',
      load: async () => ({ migrations: (await import('./migrations.ts')).costMigrations }),
      entities: async () => [
        (await import('./book/read-entity.ts')).costReadEntity,
        (await import('./book/rail-entity.ts')).costRailEntity,
        (await import('./receipts/payment-entity.ts')).costPaymentEntity,
        (await import('./receipts/month-entity.ts')).costMonthEntity,
        (await import('./receipts/sum-entity.ts')).costSumEntity,
      ],
    }),
  ],
})
