/** The only writer of `bulk_actions`. */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'
import type { BulkActionName, BulkStatus } from './bulk-action-entity.ts'

export type BulkTarget = { readonly key: string } | { readonly prefix: string }

interface BulkRow {
  readonly id: number
  readonly bucketId: number
  readonly bucket: string
  readonly clientRequestId: string
  readonly action: BulkActionName
  readonly targets: string
  readonly status: BulkStatus
  readonly targetAt: number
  readonly afterKey: string
  readonly total: number
  readonly done: number
  readonly skipped: number
  readonly busy: number
  readonly problem: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly finishedAtMs: number | null
}

export interface BulkAction extends Omit<BulkRow, 'targets'> {
  readonly targets: readonly BulkTarget[]
}

const columns = [
  'id',
  'bucket_id as bucketId',
  'bucket',
  'client_request_id as clientRequestId',
  'action',
  'targets',
  'status',
  'target_at as targetAt',
  'after_key as afterKey',
  'total',
  'done',
  'skipped',
  'busy',
  'problem',
  'created_at as createdAtMs',
  'updated_at as updatedAtMs',
  'finished_at as finishedAtMs',
] as const

/** Ended actions that are kept: a repeated request finds its action among them. */
const keptMax = 1000

const findById = statement((db, { id }: Params<{ id: number }>) => db.selectFrom('bulk_actions').select(columns).where('id', '=', id))
const findByRequest = statement((db, { clientRequestId }: Params<{ clientRequestId: string }>) =>
  db.selectFrom('bulk_actions').select(columns).where('client_request_id', '=', clientRequestId),
)
const listOfBucket = statement((db, { bucketId, limit }: Params<{ bucketId: number; limit: number }>) =>
  db.selectFrom('bulk_actions').select(columns).where('bucket_id', '=', bucketId).orderBy('id', 'desc').limit(limit),
)
const findRunning = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('bulk_actions').select('id').where('bucket_id', '=', bucketId).where('status', '=', 'running'),
)
const listRunning = statement((db) =>
  db.selectFrom('bulk_actions').select(['id as actionId', 'bucket_id as bucketId', 'bucket']).where('status', '=', 'running').orderBy('id'),
)

interface NewBulkAction extends Pick<BulkRow, 'bucketId' | 'bucket' | 'clientRequestId' | 'action' | 'targets' | 'total'> {
  readonly nowMs: number
}

/** No row while the bucket has an action that runs. */
const insert = sqlStatement<NewBulkAction, { id: number }>(
  `insert into bulk_actions (bucket_id, bucket, client_request_id, action, targets, status, target_at, after_key, total, done, skipped, busy, created_at, updated_at)
   values (:bucketId, :bucket, :clientRequestId, :action, :targets, 'running', 0, '', :total, 0, 0, 0, :nowMs, :nowMs)
   on conflict do nothing returning id`,
)
const prune = sqlStatement(
  `delete from bulk_actions where status <> 'running' and id <= (select coalesce(max(id), 0) from bulk_actions) - ${keptMax}`,
)

interface BulkPage {
  readonly id: number
  readonly targetAt: number
  readonly afterKey: string
  readonly done: number
  readonly skipped: number
  readonly busy: number
  readonly nowMs: number
}

const advance = sqlStatement<BulkPage>(
  `update bulk_actions set target_at = :targetAt, after_key = :afterKey, done = done + :done, skipped = skipped + :skipped,
     busy = busy + :busy, updated_at = :nowMs where id = :id and status = 'running'`,
)
const restart = sqlStatement<{ id: number; nowMs: number }>(
  `update bulk_actions set target_at = 0, after_key = '', skipped = 0, busy = 0, updated_at = :nowMs where id = :id and status = 'running'`,
)

interface BulkEnd {
  readonly id: number
  readonly status: Exclude<BulkStatus, 'running'>
  readonly problem: string | null
  readonly nowMs: number
}

const end = sqlStatement<BulkEnd>(
  `update bulk_actions set status = :status, problem = :problem, updated_at = :nowMs, finished_at = :nowMs where id = :id and status = 'running'`,
)

const toAction = ({ targets, ...row }: BulkRow): BulkAction => ({ ...row, targets: JSON.parse(targets) })

export async function findBulkAction(read: Reader, id: number): Promise<BulkAction | undefined> {
  const row = await read.get(findById, { id })
  return row && toAction(row)
}

export async function findBulkActionOfRequest(read: Reader, clientRequestId: string): Promise<BulkAction | undefined> {
  const row = await read.get(findByRequest, { clientRequestId })
  return row && toAction(row)
}

/** Newest first. */
export const listBulkActions = async (read: Reader, bucketId: number, limit: number): Promise<readonly BulkAction[]> =>
  (await read.all(listOfBucket, { bucketId, limit })).map(toAction)

/** The id of the action that runs in the bucket; at most one does. */
export const runningBulkActionOf = async (read: Reader, bucketId: number): Promise<number | undefined> =>
  (await read.get(findRunning, { bucketId }))?.id

/** Arguments of the tasks of all actions that run. */
export const runningBulkActions = (read: Reader) => read.all(listRunning)

/** Returns undefined while another action of the bucket runs. */
export async function addBulkAction(
  tx: Tx,
  { targets, ...action }: Omit<NewBulkAction, 'targets'> & Pick<BulkAction, 'targets'>,
): Promise<number | undefined> {
  await tx.run(prune)
  return (await tx.get(insert, { ...action, targets: JSON.stringify(targets) }))?.id
}

export async function advanceBulkAction(tx: Tx, page: BulkPage): Promise<void> {
  await tx.run(advance, { ...page })
}

/** Looks for the busy ones again. */
export async function restartBulkAction(tx: Tx, id: number, nowMs: number): Promise<void> {
  await tx.run(restart, { id, nowMs })
}

export async function endBulkAction(tx: Tx, ended: BulkEnd): Promise<void> {
  await tx.run(end, { ...ended })
}
