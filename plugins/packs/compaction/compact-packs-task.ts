import { clock, database, defineTask, done, optional, type TaskQueue, type TaskSchedule, type Tx, taskQueue, wait } from '#kernel'
import { type } from '#kernel/schema'
import { finalCopies } from '#plugins/replication'
import { packs } from '#plugins/storage'
import { funds, readPrices } from '#plugins/wallet'
import { packLimits } from '../sealing/pack-limits.ts'
import { packsSection } from '../settings.ts'

const disabledWaitMs = 3_600_000
/** The task waits longer for prices than a view: without them, it replaces only what an operator asked for. */
const pricesMs = 60_000

/** Replaces packs of a bucket by one without dead bytes. It sends nothing itself: the new pack is stored, and the old ones are removed, like any content. */
export const compactPacksTask = defineTask({
  kind: 'pack_compact',
  label: 'Compact packs',
  args: type({ bucketId: 'number.integer > 0', bucket: 'string' }),
  uses: {
    ...{ packs, limits: packLimits, settings: packsSection.settings, database, clock },
    ...{ copies: optional(finalCopies), funds: optional(funds) },
  },
  attempts: 10,
  concurrency: 1,
  subject: ({ bucket }) => ({ type: 'bucket', key: bucket, bucket }),
  run: async ({ args, services: { limits, settings, copies, funds, ...services }, log, signal, fence }) => {
    if (!copies) return wait('replication', services.clock.now() + disabledWaitMs)
    const { compactBucket } = await import('./compact-packs.ts')
    return compactBucket(
      {
        ...{ ...services, log, signal, fence, limitsOf: limits.of, months: settings.compaction_months },
        prices: () => readPrices(funds, services.clock, pricesMs),
        finalCopies: (contentId) => copies.count(services.database.read, contentId),
      },
      args,
    )
  },
})

export const enqueueCompaction = async (
  tx: Tx,
  queue: Pick<TaskQueue, 'add'>,
  bucket: { readonly bucketId: number; readonly bucket: string },
): Promise<void> => void (await queue.add(tx, compactPacksTask, bucket, { key: `${compactPacksTask.kind}:${bucket.bucketId}` }))

/** Looks for packs that are mostly dead, and for compactions without their task. */
export const findCompactionsTask = defineTask({
  kind: 'pack_compactions',
  label: 'Look for packs to compact',
  args: type({}),
  uses: { database, queue: taskQueue, clock },
  attempts: 5,
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'packs' }),
  run: async ({ services: { database, queue, clock }, fence }) => {
    const { bucketsToCompact } = await import('./compaction-store.ts')
    const { askErasures } = await import('./erasure-store.ts')
    await fence(database).write((tx) => askErasures(tx, clock.now()))
    for (const bucket of await bucketsToCompact(database.read)) {
      await fence(database).write((tx) => enqueueCompaction(tx, queue, bucket))
    }
    return done()
  },
})

export const findCompactionsSchedule: TaskSchedule = { name: 'pack-compactions', cron: '*/10 * * * *', kind: findCompactionsTask, args: {} }
