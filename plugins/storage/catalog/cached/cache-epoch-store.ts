import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../entities/tables.ts'
import { databaseEpoch } from './cache-bytes-store.ts'

const lastEpoch = statement((db) => db.selectFrom('cache_epochs').select(({ fn }) => fn.max('epoch').as('epoch')))

const addEpoch = statement((db, { epoch, cacheId }: Params<{ epoch: number; cacheId: string }>) =>
  db.insertInto('cache_epochs').values({ epoch, cache_id: cacheId }),
)

const lastCacheId = statement((db) =>
  db.selectFrom('cache_epochs').select('cache_id').where('cache_id', 'is not', null).orderBy('epoch', 'desc').limit(1),
)

const filesByEpoch = statement((db) =>
  db
    .selectFrom('cache_blobs')
    .select(({ fn }) => ['epoch', fn.countAll<number>().as('files')])
    .where('epoch', '<>', databaseEpoch)
    .groupBy('epoch'),
)

const fileOfEpoch = statement((db, { epoch }: Params<{ epoch: number }>) =>
  db.selectFrom('cache_blobs').select('blob_id').where('epoch', '=', epoch).limit(1),
)

const unsweptBefore = statement((db, { before }: Params<{ before: number }>) =>
  db.selectFrom('cache_epochs').select('epoch').where('swept_at', 'is', null).where('epoch', '<', before).orderBy('epoch'),
)

const setSwept = statement((db, { epoch, nowMs }: Params<{ epoch: number; nowMs: number }>) =>
  db.updateTable('cache_epochs').set({ swept_at: nowMs }).where('epoch', '=', epoch),
)

/** Inserts the epoch of this start: `nowMs`, or one more than the last epoch if the clock went back. `cacheId`: identity of the folder of its files. */
export async function openEpoch(tx: Tx, nowMs: number, cacheId: string): Promise<number> {
  const epoch = Math.max(nowMs, ((await tx.get(lastEpoch))?.epoch ?? 0) + 1)
  await tx.run(addEpoch, { epoch, cacheId })
  return epoch
}

/** The identity of the folder that the last start used. Undefined before the first start that recorded one. */
export async function recordedCacheId(read: Reader): Promise<string | undefined> {
  return (await read.get(lastCacheId))?.cache_id ?? undefined
}

/** How many files each start has in the rows. */
export const recordedFiles = (read: Reader): Promise<readonly { readonly epoch: number; readonly files: number }[]> =>
  read.all(filesByEpoch)

export const hasRecordedFiles = async (read: Reader, epoch: number): Promise<boolean> =>
  (await read.get(fileOfEpoch, { epoch })) !== undefined

export async function unsweptEpochs(read: Reader, before: number): Promise<number[]> {
  return (await read.all(unsweptBefore, { before })).map(({ epoch }) => epoch)
}

export async function markSwept(tx: Tx, epoch: number, nowMs: number): Promise<void> {
  await tx.run(setSwept, { epoch, nowMs })
}

/** The epoch of this start, after it was inserted. */
export async function currentEpoch(read: Reader): Promise<number> {
  return (await read.get(lastEpoch))?.epoch ?? 0
}
