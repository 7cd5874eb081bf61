/** The only writer of `copy_raises`. */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'
import type { RaiseStatus } from './raise-entity.ts'

export interface Raise {
  readonly id: number
  readonly bucketId: number
  readonly clientRequestId: string
  readonly targetCopies: number
  readonly status: RaiseStatus
  readonly raisedTo: number
  readonly untilContent: number
  readonly contents: number
  readonly copies: number
  readonly bytes: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly finishedAtMs: number | null
}

const columns = [
  'id',
  'bucket_id as bucketId',
  'client_request_id as clientRequestId',
  'target_copies as targetCopies',
  'status',
  'raised_to as raisedTo',
  'until_content as untilContent',
  'contents',
  'copies',
  'bytes',
  'created_at as createdAtMs',
  'updated_at as updatedAtMs',
  'finished_at as finishedAtMs',
] as const

/** Ended raises of a bucket that are kept: a repeated request finds its raise among them. */
const keptPerBucket = 100

const findById = statement((db, { id }: Params<{ id: number }>) => db.selectFrom('copy_raises').select(columns).where('id', '=', id))
const lockById = statement((db, { id }: Params<{ id: number }>) =>
  db.selectFrom('copy_raises').select(columns).where('id', '=', id).forUpdate(),
)
const findByRequest = statement((db, { clientRequestId }: Params<{ clientRequestId: string }>) =>
  db.selectFrom('copy_raises').select(columns).where('client_request_id', '=', clientRequestId),
)
const findNewest = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('copy_raises').select(columns).where('bucket_id', '=', bucketId).orderBy('id', 'desc').limit(1),
)
const findUnfinished = statement((db) =>
  db
    .selectFrom('copy_raises as r')
    .innerJoin('buckets as b', 'b.id', 'r.bucket_id')
    .select(['r.id as raiseId', 'r.bucket_id as bucketId', 'b.name as bucket'])
    .where('r.status', '<>', 'completed')
    .orderBy('r.id'),
)

interface NewRaise {
  readonly bucketId: number
  readonly clientRequestId: string
  readonly targetCopies: number
  readonly nowMs: number
}

/** No row while the bucket has a raise that is not completed. Contents that are added later have the present target. */
const insert = sqlStatement<NewRaise, { id: number }>(
  `insert into copy_raises (bucket_id, client_request_id, target_copies, status, raised_to, until_content, contents, copies, bytes, created_at, updated_at)
   values (:bucketId, :clientRequestId, :targetCopies, 'raising', 0, (select coalesce(max(id), 0) from contents), 0, 0, 0, :nowMs, :nowMs)
   on conflict do nothing returning id`,
)

const prune = sqlStatement<{ bucketId: number }>(
  `delete from copy_raises where bucket_id = :bucketId and status = 'completed'
     and id not in (select id from copy_raises where bucket_id = :bucketId order by id desc limit ${keptPerBucket})`,
)

interface Page {
  readonly id: number
  readonly raisedTo: number
  readonly contents: number
  readonly copies: number
  readonly bytes: number
  readonly status: RaiseStatus
  readonly nowMs: number
}

const advance = sqlStatement<Page>(
  `update copy_raises set raised_to = :raisedTo, contents = contents + :contents, copies = copies + :copies, bytes = bytes + :bytes,
     status = :status, updated_at = :nowMs where id = :id and status = 'raising'`,
)

const complete = statement((db, { id, nowMs }: Params<{ id: number; nowMs: number }>) =>
  db
    .updateTable('copy_raises')
    .set({ status: 'completed', updated_at: nowMs, finished_at: nowMs })
    .where('id', '=', id)
    .where('status', '=', 'copying'),
)

const removeOfBucket = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.deleteFrom('copy_raises').where('bucket_id', '=', bucketId),
)

export const findRaise = (read: Reader, id: number): Promise<Raise | undefined> => read.get(findById, { id })
export const lockRaise = (tx: Tx, id: number): Promise<Raise | undefined> => tx.get(lockById, { id })
export const findRaiseOfRequest = (read: Reader, clientRequestId: string): Promise<Raise | undefined> =>
  read.get(findByRequest, { clientRequestId })
export const newestRaise = (read: Reader, bucketId: number): Promise<Raise | undefined> => read.get(findNewest, { bucketId })
/** Arguments of the tasks of all raises that are not completed. */
export const unfinishedRaises = (read: Reader) => read.all(findUnfinished)

/** Returns undefined while another raise of the bucket is not completed. */
export async function addRaise(tx: Tx, raise: NewRaise): Promise<number | undefined> {
  await tx.run(prune, { bucketId: raise.bucketId })
  return (await tx.get(insert, { ...raise }))?.id
}

export async function advanceRaise(tx: Tx, page: Page): Promise<void> {
  await tx.run(advance, { ...page })
}

export async function completeRaise(tx: Tx, id: number, nowMs: number): Promise<void> {
  await tx.run(complete, { id, nowMs })
}

export async function deleteRaises(tx: Tx, bucketId: number): Promise<void> {
  await tx.run(removeOfBucket, { bucketId })
}
