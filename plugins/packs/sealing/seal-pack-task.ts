import { clock, database, defineTask, type TaskQueue, type Tx } from '#kernel'
import { type } from '#kernel/schema'
import { cachedContents, cacheGauge, packs } from '#plugins/storage'
import { packLimits } from './pack-limits.ts'

/** Writes packs of the contents of a bucket that wait. It sends and pays nothing: a pack is stored like any content. */
export const sealPackTask = defineTask({
  kind: 'pack_seal',
  label: 'Seal packs',
  args: type({ bucketId: 'number.integer > 0', bucket: 'string' }),
  uses: { packs, cached: cachedContents, gauge: cacheGauge, limits: packLimits, database, clock },
  // While contents wait, something must seal them.
  attempts: Number.POSITIVE_INFINITY,
  // Each run holds a page of members in memory.
  concurrency: 2,
  subject: ({ bucket }) => ({ type: 'bucket', key: bucket, bucket }),
  run: async ({ args, services: { limits, ...services }, log, signal, fence }) => {
    const { sealBucket } = await import('./seal-pack.ts')
    return sealBucket({ ...services, log, signal, fence, limitsOf: limits.of }, args)
  },
})

/** Enqueues the task of a bucket. A later call never delays it. */
export const enqueueSeal = async (
  tx: Tx,
  queue: Pick<TaskQueue, 'add'>,
  bucket: { readonly bucketId: number; readonly bucket: string },
  runAtMs?: number,
): Promise<void> =>
  void (await queue.add(tx, sealPackTask, bucket, {
    key: `${sealPackTask.kind}:${bucket.bucketId}`,
    ...(runAtMs !== undefined && { runAtMs }),
  }))
