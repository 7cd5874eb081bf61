import type { Database, Params } from '#kernel'
import { openValues, type StateNames, valuesThatTake } from '../submissions/transition-policy.ts'
import { statement } from './tables.ts'

export type OperationType = 'fund' | 'withdraw' | 'approve' | 'terminate'
export type OperationStatus = 'pending' | 'submitted' | 'confirmed' | 'failed' | 'unknown'

/** `wallet_operations.status`. An operation that landed without effect is `failed`, like one that a node refused. */
export const operationStates = {
  ready: 'pending',
  recorded: 'submitted',
  submitted: 'submitted',
  uncertain: 'submitted',
  landed: 'confirmed',
  closed: 'unknown',
} as const satisfies StateNames

/** A wallet transaction from request to final outcome. */
export interface Operation {
  readonly id: number
  readonly type: OperationType
  readonly clientRequestId: string
  /** Base units as decimal text. */
  readonly amount: string
  readonly status: OperationStatus
  readonly signed: { readonly raw: `0x${string}`; readonly hash: `0x${string}`; readonly nonce: number } | null
  readonly lastError: string | null
}

const columns = [
  'id',
  'type',
  'client_request_id as clientRequestId',
  'amount',
  'status',
  'raw_tx as raw',
  'tx_hash as hash',
  'chain_nonce as nonce',
  'last_error as lastError',
] as const

const findByRequest = statement((db, { type, clientRequestId }: Params<{ type: OperationType; clientRequestId: string }>) =>
  db.selectFrom('wallet_operations').select(columns).where('type', '=', type).where('client_request_id', '=', clientRequestId),
)

const listUnfinished = statement((db) =>
  db
    .selectFrom('wallet_operations')
    .select(columns)
    .where('status', 'in', [operationStates.ready, ...openValues(operationStates)])
    .orderBy('id'),
)

interface NewOperation {
  readonly type: OperationType
  readonly clientRequestId: string
  readonly amount: string
  readonly nowMs: number
}

const insert = statement((db, { type, clientRequestId, amount, nowMs }: Params<NewOperation>) =>
  db
    .insertInto('wallet_operations')
    .values({ type, client_request_id: clientRequestId, amount, status: operationStates.ready, created_at: nowMs, updated_at: nowMs })
    .returning('id'),
)

interface Signed {
  readonly id: number
  readonly raw: string
  readonly hash: string
  readonly nonce: number
  readonly nowMs: number
}

const record = statement((db, { id, raw, hash, nonce, nowMs }: Params<Signed>) =>
  db
    .updateTable('wallet_operations')
    .set({ status: operationStates.recorded, raw_tx: raw, tx_hash: hash, chain_nonce: nonce, updated_at: nowMs })
    .where('id', '=', id)
    .where('status', 'in', valuesThatTake(operationStates, 'record')),
)

interface Finished {
  readonly id: number
  readonly status: OperationStatus
  readonly error: string | null
  readonly nowMs: number
}

const finish = statement((db, { id, status, error, nowMs }: Params<Finished>) =>
  db.updateTable('wallet_operations').set({ status, last_error: error, updated_at: nowMs }).where('id', '=', id),
)

/** Without recorded bytes nothing was sent (I-04). */
const failUnsigned = statement((db, { error, nowMs }: Params<{ error: string; nowMs: number }>) =>
  db
    .updateTable('wallet_operations')
    .set({ status: 'failed', last_error: error, updated_at: nowMs })
    .where('status', '=', operationStates.ready)
    .where('raw_tx', 'is', null),
)

export const unsignedMessage = 'svc stopped before the transaction was signed'

/**
 * Call at the start, when no operation of this process exists: operations that an earlier process left without signed bytes have failed,
 * because nothing was sent for them. Returns their number.
 */
export async function endUnsigned(database: Database, nowMs: number): Promise<number> {
  return (await database.write((tx) => tx.run(failUnsigned, { error: unsignedMessage, nowMs }))).changes
}

export interface OperationStore {
  /** Operations without a final outcome, oldest first. */
  listOpen(): Promise<readonly Operation[]>
  /** With any outcome. */
  find(type: OperationType, clientRequestId: string): Promise<Operation | undefined>
  create(operation: {
    readonly type: OperationType
    readonly clientRequestId: string
    readonly amount: bigint
    readonly nowMs: number
  }): Promise<Operation>
  /** Stores the signed bytes; call it before they are sent (I-04). False: the operation has ended or has other bytes, so do not send these. */
  recordSigned(id: number, signed: NonNullable<Operation['signed']>, nowMs: number): Promise<boolean>
  finish(
    id: number,
    outcome: { readonly status: 'confirmed' | 'failed' | 'unknown'; readonly error?: string; readonly nowMs: number },
  ): Promise<void>
}

export function createOperationStore(database: Database): OperationStore {
  return {
    async listOpen() {
      return (await database.read.all(listUnfinished)).map(toOperation)
    },
    async find(type, clientRequestId) {
      const row = await database.read.get(findByRequest, { type, clientRequestId })
      return row && toOperation(row)
    },
    create: ({ type, clientRequestId, amount, nowMs }) =>
      database.write(async (tx) => {
        const operation = { type, clientRequestId, amount: amount.toString() }
        const inserted = await tx.get(insert, { ...operation, nowMs })
        if (!inserted) throw new Error(`the wallet operation ${clientRequestId} was not inserted`)
        return { ...operation, id: inserted.id, status: operationStates.ready, signed: null, lastError: null }
      }),
    async recordSigned(id, { raw, hash, nonce }, nowMs) {
      const { changes } = await database.write((tx) => tx.run(record, { id, raw, hash, nonce, nowMs }))
      return changes === 1
    },
    async finish(id, { status, error = null, nowMs }) {
      await database.write((tx) => tx.run(finish, { id, status, error, nowMs }))
    },
  }
}

interface OperationRow extends Omit<Operation, 'signed'> {
  readonly raw: string | null
  readonly hash: string | null
  readonly nonce: number | null
}

const toOperation = ({ raw, hash, nonce, ...operation }: OperationRow): Operation => ({ ...operation, signed: toSigned(raw, hash, nonce) })

function toSigned(raw: string | null, hash: string | null, nonce: number | null): Operation['signed'] {
  return raw !== null && hash !== null && nonce !== null ? { raw: raw as `0x${string}`, hash: hash as `0x${string}`, nonce } : null
}
