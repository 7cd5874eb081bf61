import type { Params, Reader } from '#kernel'
import type { OperationKey, OperationType } from '../contract/services.ts'
import type { OperationStatus } from './operation-entity.ts'
import { statement } from './tables.ts'

/** An operation as operators see it. Times in milliseconds. */
export interface OperationRecord {
  readonly id: number
  readonly type: OperationType
  readonly clientRequestId: string
  /** Base units as decimal text. */
  readonly amount: string
  readonly status: OperationStatus
  readonly hash: string | null
  readonly lastError: string | null
  readonly startedAtMs: number | null
  readonly submittedAtMs: number | null
  readonly completedAtMs: number | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** The columns of `OperationRecord`, for select and returning clauses. */
export const recordColumns = [
  'id',
  'type',
  'client_request_id as clientRequestId',
  'amount',
  'status',
  'tx_hash as hash',
  'last_error as lastError',
  'started_at as startedAtMs',
  'submitted_at as submittedAtMs',
  'completed_at as completedAtMs',
  'created_at as createdAtMs',
  'updated_at as updatedAtMs',
] as const

const find = statement((db, { type, id }: Params<{ type: OperationType; id: string }>) =>
  db.selectFrom('wallet_operations').select(recordColumns).where('type', '=', type).where('client_request_id', '=', id),
)

const list = statement((db, { limit }: Params<{ limit: number }>) =>
  db.selectFrom('wallet_operations').select(recordColumns).where('type', '<>', 'terminate').orderBy('id', 'desc').limit(limit),
)

const count = statement((db) =>
  db
    .selectFrom('wallet_operations')
    .select(({ fn }) => ['type', 'status', fn.countAll<number>().as('count')])
    .groupBy(['type', 'status']),
)

export const findRecord = (read: Reader, { type, id }: OperationKey): Promise<OperationRecord | undefined> => read.get(find, { type, id })

/** Deposits, withdrawals and approvals, newest first. */
export const listRecords = (read: Reader, limit: number): Promise<readonly OperationRecord[]> => read.all(list, { limit })

export interface OperationCount {
  readonly type: OperationType
  readonly status: OperationStatus
  readonly count: number
}

export const countOperations = async (read: Reader): Promise<readonly OperationCount[]> =>
  (await read.all(count)).map((one) => ({ ...one, count: Number(one.count) }))
