import { adminFlags } from '#cli'
import {
  adminRoutes,
  cliCommands,
  clock,
  database,
  dbSchemas,
  defineCommand,
  definePlugin,
  metricCollectors,
  provide,
  taskKinds,
  taskSchedules,
} from '#kernel'
import { routeGuards } from '#kernel/system'
import { bucketDetailParts, overviewParts } from '#plugins/admin'

const costCommand = defineCommand({
  name: 'admin cost',
  summary: 'Show what storage costs and how long the deposit lasts, estimate an action, or print a monthly receipt',
  examples: [
    ['svc admin cost', 'Runway, rate, locked amounts, fees, spend limits and the most expensive buckets'],
    ['svc admin cost --bucket photos', 'One bucket with its data sets'],
    ['svc admin cost --estimate new-bucket --copies 3', 'What a bucket would cost; nothing is changed'],
    ['svc admin cost --estimate upload --bucket photos --objects 1000 --bytes 4096', 'What 1,000 objects of 4 KiB would add'],
    ['svc admin cost --receipt 2026-11 --csv', 'The payments of a month, to keep'],
  ],
  flags: {
    ...adminFlags,
    bucket: { type: 'text', description: 'Only this bucket' },
    estimate: {
      type: ['new-bucket', 'raise-target', 'upload', 'replacement', 'fund', 'withdraw', 'approve', 'speed-test'],
      description: 'The action to estimate',
    },
    copies: { type: 'number', max: 8, description: 'Copies of the new bucket, or the raised target' },
    objects: { type: 'number', max: 1_000_000_000, description: 'Objects of the estimated upload' },
    bytes: { type: 'number', max: Number.MAX_SAFE_INTEGER, description: 'Size of each of them' },
    dataSet: { type: 'number', max: Number.MAX_SAFE_INTEGER, description: 'Id of the data set to replace' },
    amount: { type: 'text', description: 'USDFC to deposit or withdraw, such as 5 or 0.25' },
    receipt: { type: 'text', description: 'A month such as 2026-11' },
    csv: { type: 'switch', description: 'Print the receipt as CSV' },
  },
  load: () => import('./commands/cost-command.ts'),
})

/** What storage costs, how long the deposit lasts, and receipts of what was paid. */
export const costsPlugin = definePlugin({
  id: 'costs',
  requires: ['wallet', 'replication', 'storage'],
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
      async () => (await import('./receipts/receipt-routes.ts')).receiptRoutes,
    ),
    routeGuards.load(async () => (await import('./prices/price-guard.ts')).priceGuard),
    overviewParts.load(async () => (await import('./cost/cost-parts.ts')).costOverview),
    bucketDetailParts.load(async () => (await import('./cost/cost-parts.ts')).bucketCostPart),
    metricCollectors.load(async () => (await import('./cost/cost-metrics.ts')).costMetrics),
    taskKinds.load(async () => (await import('./book/read-costs-task.ts')).readCostsTask),
    taskSchedules.load(async () => (await import('./book/read-costs-task.ts')).costsSchedule),
    cliCommands.with(costCommand),
    dbSchemas.with({
      name: 'costs',
      load: async () => ({ migrations: (await import('./migrations.ts')).costMigrations }),
      entities: async () => [
        (await import('./book/read-entity.ts')).costReadEntity,
        (await import('./book/rail-entity.ts')).costRailEntity,
        (await import('./receipts/payment-entity.ts')).costPaymentEntity,
        (await import('./receipts/month-entity.ts')).costMonthEntity,
      ],
    }),
  ],
})
