/** Which work waits for a change of state. */
import type { Params, Reader } from '#kernel'
import { statement } from '../tables.ts'

const findLacking = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db.selectFrom('copies').select('data_set_id as id').distinct().where('content_id', 'in', contentIds).where('state', '=', 'planned'),
)

const findWaiting = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .selectFrom('commit_batches')
    .select('id')
    .where('data_set_id', '=', dataSetId)
    .where('state', 'not in', ['confirmed', 'closed'])
    .unionAll(db.selectFrom('copies').select('id').where('data_set_id', '=', dataSetId).where('state', '=', 'parked'))
    .limit(1),
)

const findEnding = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db.selectFrom('data_set_endings').select('data_set_id').where('data_set_id', '=', dataSetId),
)

const findLost = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db.selectFrom('data_sets').select('id').where('id', '=', dataSetId).where('state', '=', 'lost'),
)

const sumBytes = statement((db, { copyIds }: Params<{ copyIds: readonly number[] }>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .select(({ fn }) => fn.sum<number>('p.length').as('bytes'))
    .where('c.id', 'in', copyIds),
)

const findUnfinished = statement((db, { bucketId, limit }: Params<{ bucketId: number; limit: number }>) =>
  db
    .selectFrom('contents')
    .select('id')
    .where('bucket_id', '=', bucketId)
    // The condition of the partial index.
    .where('store_state', '<>', 'stored')
    .where('store_state', 'in', ['unstored', 'storing'])
    .where('state', '=', 'live')
    .orderBy('id')
    .limit(limit),
)

const findBucket = statement((db, { id }: Params<{ id: number }>) =>
  db
    .selectFrom('data_sets')
    .innerJoin('buckets', 'buckets.id', 'data_sets.bucket_id')
    .select(['buckets.id', 'buckets.name', 'buckets.deleted_at as deletedAtMs'])
    .where('data_sets.id', '=', id),
)

/** Data sets that lack a copy of one of the contents. */
export async function dataSetsLacking(read: Reader, contentIds: readonly number[]): Promise<readonly number[]> {
  return (await read.all(findLacking, { contentIds })).map(({ id }) => id)
}

export const bytesOfCopies = async (read: Reader, copyIds: readonly number[]): Promise<number> =>
  Number((await read.get(sumBytes, { copyIds }))?.bytes ?? 0)

/** Whether batches or parked copies of the data set wait for its id on chain. */
export const hasWaitingCopies = async (read: Reader, dataSetId: number): Promise<boolean> =>
  (await read.get(findWaiting, { dataSetId })) !== undefined

/** Whether the data set must end: it is not created any more, and nothing is added to it. */
export const mustEnd = async (read: Reader, dataSetId: number): Promise<boolean> =>
  (await read.get(findEnding, { dataSetId })) !== undefined

/** Live contents of a bucket below their target of copies, oldest first. */
export async function unfinishedContents(read: Reader, bucketId: number, limit: number): Promise<readonly number[]> {
  return (await read.all(findUnfinished, { bucketId, limit })).map(({ id }) => id)
}

/** Whether the chain does not have the data set any more. */
export const isLost = async (read: Reader, dataSetId: number): Promise<boolean> => (await read.get(findLost, { dataSetId })) !== undefined

export const bucketOf = (read: Reader, dataSetId: number) => read.get(findBucket, { id: dataSetId })
