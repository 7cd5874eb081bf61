import { clock, database, defineTask, optional, type TaskQueue, type Tx, wait } from '#kernel'
import { type } from '#kernel/schema'
import { finalCopies } from '#plugins/replication'
import { packs } from '#plugins/storage'
import { packLimits } from '../sealing/pack-limits.ts'

const disabledWaitMs = 3_600_000

/** Packs what is stored already. It sends nothing itself: the packs are stored, and the single pieces are removed, like any content. */
export const packStoredTask = defineTask({
  kind: 'pack_stored',
  label: 'Pack stored objects',
  args: type({ bucketId: 'number.integer > 0', bucket: 'string' }),
  uses: { packs, limits: packLimits, copies: optional(finalCopies), database, clock },
  attempts: 10,
  concurrency: 1,
  subject: ({ bucket }) => ({ type: 'bucket', key: bucket, bucket }),
  run: async ({ args, services: { limits, copies, ...services }, log, signal, fence }) => {
    if (!copies) return wait('replication', services.clock.now() + disabledWaitMs)
    const { packStored } = await import('./pack-stored.ts')
    return packStored(
      {
        ...{ ...services, log, signal, fence, limitsOf: limits.of, objectBytesMax: limits.objectBytesMax },
        finalCopies: (contentId) => copies.count(services.database.read, contentId),
      },
      args,
    )
  },
})

export const enqueuePackStored = async (
  tx: Tx,
  queue: Pick<TaskQueue, 'add'>,
  bucket: { readonly bucketId: number; readonly bucket: string },
): Promise<void> => void (await queue.add(tx, packStoredTask, bucket, { key: `${packStoredTask.kind}:${bucket.bucketId}` }))
