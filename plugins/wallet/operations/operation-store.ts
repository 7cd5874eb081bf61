import type { Database } from '#kernel'
import { openRows, rowsThatTake, type StateNames } from '../submissions/transition-policy.ts'

export type OperationType = 'fund' | 'withdraw' | 'approve'
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

interface OperationRow {
  readonly id: number
  readonly type: OperationType
  readonly client_request_id: string
  readonly amount: string
  readonly status: OperationStatus
  readonly chain_nonce: number | null
  readonly raw_tx: string | null
  readonly tx_hash: string | null
  readonly last_error: string | null
}

export interface OperationStore {
  /** Operations without a final outcome, oldest first. */
  listOpen(): Promise<readonly Operation[]>
  create(operation: {
    readonly type: OperationType
    readonly clientRequestId: string
    readonly amount: bigint
    readonly nowMs: number
  }): Promise<Operation>
  /** Stores the signed bytes; call it before they are sent (I-04). */
  recordSigned(id: number, signed: NonNullable<Operation['signed']>, nowMs: number): Promise<void>
  finish(
    id: number,
    outcome: { readonly status: 'confirmed' | 'failed' | 'unknown'; readonly error?: string; readonly nowMs: number },
  ): Promise<void>
}

export function createOperationStore(database: Database): OperationStore {
  return {
    listOpen: async () =>
      database.read
        .all<OperationRow>(
          `select * from wallet_operations where status in ('${operationStates.ready}', ${openRows(operationStates)}) order by id`,
        )
        .map(toOperation),
    create: ({ type, clientRequestId, amount, nowMs }) =>
      database.write(async (tx) => {
        const { lastId } = tx.run(
          "insert into wallet_operations (type, client_request_id, amount, status, created_at, updated_at) values (?, ?, ?, 'pending', ?, ?)",
          type,
          clientRequestId,
          amount.toString(),
          nowMs,
          nowMs,
        )
        return { id: lastId, type, clientRequestId, amount: amount.toString(), status: 'pending', signed: null, lastError: null }
      }),
    recordSigned: (id, { raw, hash, nonce }, nowMs) =>
      database.write(async (tx) => {
        tx.run(
          `update wallet_operations set status = '${operationStates.recorded}', raw_tx = ?, tx_hash = ?, chain_nonce = ?, updated_at = ?
           where id = ? and status in (${rowsThatTake(operationStates, 'record')})`,
          raw,
          hash,
          nonce,
          nowMs,
          id,
        )
      }),
    finish: (id, { status, error, nowMs }) =>
      database.write(async (tx) => {
        tx.run('update wallet_operations set status = ?, last_error = ?, updated_at = ? where id = ?', status, error ?? null, nowMs, id)
      }),
  }
}

function toOperation(row: OperationRow): Operation {
  const { raw_tx: raw, tx_hash: hash, chain_nonce: nonce } = row
  return {
    id: row.id,
    type: row.type,
    clientRequestId: row.client_request_id,
    amount: row.amount,
    status: row.status,
    signed: raw !== null && hash !== null && nonce !== null ? { raw: raw as `0x${string}`, hash: hash as `0x${string}`, nonce } : null,
    lastError: row.last_error,
  }
}
