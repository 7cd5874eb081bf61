import type { Database, Params, Reader } from '#kernel'
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
  /** The newest transaction, with the hashes of those that it replaces. */
  readonly signed: {
    readonly raw: `0x${string}`
    readonly hash: `0x${string}`
    readonly nonce: number
    readonly earlier: readonly `0x${string}`[]
  } | null
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

interface Replacement extends Omit<Signed, 'nonce'> {
  readonly replacedHash: string
}

/** Only the newest transaction is replaced, and none of an operation that has ended. */
const replace = statement((db, { id, raw, hash, replacedHash, nowMs }: Params<Replacement>) =>
  db
    .updateTable('wallet_operations')
    .set({ raw_tx: raw, tx_hash: hash, updated_at: nowMs })
    .where('id', '=', id)
    .where('tx_hash', '=', replacedHash)
    .where('status', 'in', openValues(operationStates)),
)

interface Replaced {
  readonly id: number
  readonly hash: string
  readonly raw: string
  readonly nowMs: number
}

const keepReplaced = statement((db, { id, hash, raw, nowMs }: Params<Replaced>) =>
  db.insertInto('wallet_replaced').values({ operation_id: id, tx_hash: hash, raw_tx: raw, replaced_at: nowMs }),
)

const findReplaced = statement((db, { ids }: Params<{ ids: readonly number[] }>) =>
  db.selectFrom('wallet_replaced').select(['operation_id as id', 'tx_hash as hash']).where('operation_id', 'in', ids).orderBy('id'),
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

type Signature = Omit<NonNullable<Operation['signed']>, 'earlier'>

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
  recordSigned(id: number, signed: Signature, nowMs: number): Promise<boolean>
  /** Stores another transaction with the same nonce, and keeps the one that it replaces (I-04, I-44). False: do not send it. */
  recordReplacement(id: number, replaced: Signature, signed: Signature, nowMs: number): Promise<boolean>
  finish(
    id: number,
    outcome: { readonly status: 'confirmed' | 'failed' | 'unknown'; readonly error?: string; readonly nowMs: number },
  ): Promise<void>
}

export function createOperationStore(database: Database): OperationStore {
  return {
    listOpen: () => database.snapshot(async (read) => toOperations(read, await read.all(listUnfinished))),
    find: (type, clientRequestId) =>
      database.snapshot(async (read) => (await toOperations(read, await read.all(findByRequest, { type, clientRequestId })))[0]),
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
    recordReplacement: (id, { hash: replacedHash, raw: replacedRaw }, { raw, hash }, nowMs) =>
      database.write(async (tx) => {
        if ((await tx.run(replace, { id, raw, hash, replacedHash, nowMs })).changes === 0) return false
        await tx.run(keepReplaced, { id, hash: replacedHash, raw: replacedRaw, nowMs })
        return true
      }),
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

async function toOperations(read: Reader, rows: readonly OperationRow[]): Promise<readonly Operation[]> {
  const replaced = rows.length === 0 ? [] : await read.all(findReplaced, { ids: rows.map(({ id }) => id) })
  return rows.map(({ raw, hash, nonce, ...operation }) => {
    if (raw === null || hash === null || nonce === null) return { ...operation, signed: null }
    const earlier = replaced.filter(({ id }) => id === operation.id).map((one) => one.hash as `0x${string}`)
    return { ...operation, signed: { raw: raw as `0x${string}`, hash: hash as `0x${string}`, nonce, earlier } }
  })
}
