import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'

type OfDataSet<P = Record<never, never>> = Params<P & { dataSetId: number }>

const findDeletedBucket = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('buckets').select('id').where('id', '=', bucketId).where('deleted_at', 'is not', null),
)
const findContent = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('contents').select('id').where('bucket_id', '=', bucketId).limit(1),
)
const findDataSet = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('data_sets').select('id').where('bucket_id', '=', bucketId).limit(1),
)

/** The conditions of the partial indexes. SQLite uses them only for `not in`. */
const openRemovals = "('pending', 'submitting', 'submitted', 'uncertain', 'scheduled')"
const openBatches = "('pulling', 'ready', 'submitting', 'submitted', 'uncertain')"

type Page = { dataSetId: number; limit: number }
const dropRemovals = sqlStatement<Page>(
  `delete from removals where id in (select id from removals where data_set_id = :dataSetId
     and state not in ${openRemovals} limit :limit)`,
)
const dropAttempts = sqlStatement<Page>(
  'delete from removal_attempts where id in (select id from removal_attempts where data_set_id = :dataSetId limit :limit)',
)
const dropItems = sqlStatement<Page>(
  `delete from commit_items where batch_id in (select id from commit_batches
     where data_set_id = :dataSetId and state not in ${openBatches} order by id limit :limit)`,
)
const dropBatches = sqlStatement<Page>(
  `delete from commit_batches where id in (select id from commit_batches
     where data_set_id = :dataSetId and state not in ${openBatches} order by id limit :limit)`,
)

const dropTotals = statement((db, { dataSetId }: OfDataSet) => db.deleteFrom('data_set_totals').where('data_set_id', '=', dataSetId))
const dropEnding = statement((db, { dataSetId }: OfDataSet) => db.deleteFrom('data_set_endings').where('data_set_id', '=', dataSetId))
const dropStanding = statement((db, { dataSetId }: OfDataSet) => db.deleteFrom('data_set_standings').where('data_set_id', '=', dataSetId))
const dropDataSet = statement((db, { dataSetId }: OfDataSet) => db.deleteFrom('data_sets').where('id', '=', dataSetId))

export const isOfDeletedBucket = async (read: Reader, bucketId: number): Promise<boolean> =>
  (await read.get(findDeletedBucket, { bucketId })) !== undefined

/** Contents of a deleted bucket that are still being removed. */
export const hasContents = async (read: Reader, bucketId: number): Promise<boolean> =>
  (await read.get(findContent, { bucketId })) !== undefined

export const hasDataSets = async (read: Reader, bucketId: number): Promise<boolean> =>
  (await read.get(findDataSet, { bucketId })) !== undefined

const findCommitted = statement((db, { dataSetId, limit }: Params<Page>) =>
  db
    .selectFrom('copies')
    .select('id')
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', 'committed')
    .orderBy('content_id')
    .limit(limit),
)

/** A page of the committed copies of a data set. */
export const committedCopies = async (read: Reader, dataSetId: number, limit: number): Promise<readonly number[]> =>
  (await read.all(findCommitted, { dataSetId, limit })).map(({ id }) => id)

/** Deletes a page of the records of a data set without copies and open work. True when none is left. */
export async function forgetRecords(tx: Tx, dataSetId: number, limit: number): Promise<boolean> {
  const page = { dataSetId, limit }
  // Rows that refer to others come first.
  if ((await tx.run(dropRemovals, page)).changes === limit) return false
  if ((await tx.run(dropAttempts, page)).changes === limit) return false
  await tx.run(dropItems, page)
  return (await tx.run(dropBatches, page)).changes < limit
}

/** Deletes the row of a data set without records. */
export async function forgetDataSet(tx: Tx, dataSetId: number): Promise<void> {
  for (const drop of [dropTotals, dropEnding, dropStanding, dropDataSet]) await tx.run(drop, { dataSetId })
}
