import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'
import type { Packing } from './bucket-packing-entity.ts'

type OfBucket<P = Record<never, never>> = Params<P & { bucketId: number }>

const find = statement((db, { bucketId }: OfBucket) =>
  db
    .selectFrom('bucket_packings as p')
    .innerJoin('buckets as b', 'b.id', 'p.bucket_id')
    .select(['p.packing', 'p.seal_asked as sealAsked', 'p.erase_within_days as eraseWithinDays', 'b.name'])
    .where('p.bucket_id', '=', bucketId),
)

const write = statement((db, { bucketId, packing }: OfBucket<{ packing: Packing }>) =>
  db
    .insertInto('bucket_packings')
    .values({ bucket_id: bucketId, packing, seal_asked: 0, erase_within_days: 0 })
    .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet({ packing })),
)

const askToSeal = statement((db, { bucketId, asked }: OfBucket<{ asked: number }>) =>
  db.updateTable('bucket_packings').set({ seal_asked: asked }).where('bucket_id', '=', bucketId),
)

const erase = statement((db, { bucketId, days }: OfBucket<{ days: number }>) =>
  db.updateTable('bucket_packings').set({ erase_within_days: days }).where('bucket_id', '=', bucketId),
)

const remove = statement((db, { bucketId }: OfBucket) => db.deleteFrom('bucket_packings').where('bucket_id', '=', bucketId))

const all = statement((db) => db.selectFrom('bucket_packings').select('bucket_id as bucketId'))

interface BucketPacking {
  readonly packing: Packing
  readonly bucket: string
  /** An operator asked to seal what waits. */
  readonly isSealAsked: boolean
  /** 0: bytes of deleted objects stay until it pays to remove them. */
  readonly eraseWithinDays: number
}

/** Returns undefined for a bucket that was never packed. */
export async function findPacking(read: Reader, bucketId: number): Promise<BucketPacking | undefined> {
  const row = await read.get(find, { bucketId })
  return row && { packing: row.packing, bucket: row.name, isSealAsked: row.sealAsked === 1, eraseWithinDays: row.eraseWithinDays }
}

export async function setPacking(tx: Tx, bucketId: number, packing: Packing): Promise<void> {
  await tx.run(write, { bucketId, packing })
}

export async function setSealAsked(tx: Tx, bucketId: number, isAsked: boolean): Promise<void> {
  await tx.run(askToSeal, { bucketId, asked: isAsked ? 1 : 0 })
}

/** The bucket must have a packing. */
export async function setErasure(tx: Tx, bucketId: number, days: number): Promise<void> {
  await tx.run(erase, { bucketId, days })
}

export async function deletePacking(tx: Tx, bucketId: number): Promise<void> {
  await tx.run(remove, { bucketId })
}

/** Buckets that are packed, or were. */
export async function bucketsWithPacking(read: Reader): Promise<ReadonlySet<number>> {
  return new Set((await read.all(all)).map(({ bucketId }) => bucketId))
}
