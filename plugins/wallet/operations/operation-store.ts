import type { Database, Params, Reader, Tx } from '#kernel'
import type { OperationKey, OperationRequest, OperationType } from '../contract/services.ts'
import { walletErrors } from '../errors.ts'
import { openValues, type StateNames, valuesThatTake } from '../submissions/transition-policy.ts'
import type { OperationStatus } from './operation-entity.ts'
import { statement } from './tables.ts'
import type { SlotAttempt } from './wallet-slot.ts'

/** `wallet_operations.status`. An operation that landed without effect is `failed`, like one that a node refused. */
export const operationStates = {
  ready: 'pending',
  recorded: 'submitted',
  submitted: 'submitted',
  uncertain: 'unknown',
  landed: 'confirmed',
  closed: 'failed',
} as const satisfies StateNames

const signedOpen = openValues(operationStates)
const unfinished = [operationStates.ready, ...signedOpen] as const

/** A wallet transaction from request to final outcome. */
export interface Operation {
  readonly id: number
  readonly type: OperationType
  readonly clientRequestId: string
  /** Base units as decimal text. */
  readonly amount: string
  /** Id on chain of the data set that a termination ends. */
  readonly target: string | null
  /** The address that signs it; null until it is its turn. */
  readonly wallet: string | null
  readonly status: OperationStatus
  /** The newest transaction, with the hashes of those that it replaces. */
  readonly signed: SlotAttempt['signed'] | null
  readonly lastError: string | null
}

const columns = [
  'id',
  'type',
  'client_request_id as clientRequestId',
  'amount',
  'target',
  'wallet',
  'status',
  'raw_tx as raw',
  'tx_hash as hash',
  'chain_nonce as nonce',
  'last_error as lastError',
] as const

const findByKey = statement((db, { type, id }: Params<{ type: OperationType; id: string }>) =>
  db.selectFrom('wallet_operations').select(columns).where('type', '=', type).where('client_request_id', '=', id),
)

/** Lists those of the wallet, and of versions that did not record it. */
const listSigned = statement((db, { wallet }: Params<{ wallet: string }>) =>
  db
    .selectFrom('wallet_operations')
    .select(columns)
    .where('status', 'in', unfinished)
    .where('raw_tx', 'is not', null)
    .where(({ or, eb }) => or([eb('wallet', '=', wallet), eb('wallet', 'is', null)]))
    .orderBy('id'),
)

const listKeys = statement((db) =>
  db.selectFrom('wallet_operations').select(['type', 'client_request_id as id']).where('status', 'in', unfinished).orderBy('id'),
)

type NewOperation = Pick<Operation, 'type' | 'amount' | 'target'> & { readonly id: string; readonly nowMs: number }

const insert = statement((db, { type, id, amount, target, nowMs }: Params<NewOperation>) =>
  db
    .insertInto('wallet_operations')
    .values({ type, client_request_id: id, amount, target, status: operationStates.ready, created_at: nowMs, updated_at: nowMs })
    .onConflict((conflict) => conflict.columns(['type', 'client_request_id']).doNothing()),
)

/** I-50: a wallet has one operation that is being signed or not decided. The unique index `wallet_operations_turn` also refuses a second one. */
const claim = statement((db, { id, wallet, nowMs }: Params<{ id: number; wallet: string; nowMs: number }>) =>
  db
    .updateTable('wallet_operations')
    .set({ wallet, updated_at: nowMs })
    .where('id', '=', id)
    .where('status', '=', operationStates.ready)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('wallet_operations as other')
            .select('other.id')
            .where('other.id', '!=', id)
            .where('other.wallet', '=', wallet)
            .where('other.status', 'in', unfinished),
        ),
      ),
    ),
)

const release = statement((db, { id }: Params<{ id: number }>) =>
  db.updateTable('wallet_operations').set({ wallet: null }).where('id', '=', id).where('raw_tx', 'is', null),
)

/** `id`: of the operation. */
type Signed = Signature & { readonly id: number; readonly nowMs: number }

const record = statement((db, { id, raw, hash, nonce, nowMs }: Params<Signed>) =>
  db
    .updateTable('wallet_operations')
    .set({ status: operationStates.recorded, raw_tx: raw, tx_hash: hash, chain_nonce: nonce, last_error: null, updated_at: nowMs })
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
    .where('status', 'in', signedOpen),
)

const keepReplaced = statement((db, { id, hash, raw, nowMs }: Params<Omit<Signed, 'nonce'>>) =>
  db.insertInto('wallet_replaced').values({ operation_id: id, tx_hash: hash, raw_tx: raw, replaced_at: nowMs }),
)

const findReplaced = statement((db, { ids }: Params<{ ids: readonly number[] }>) =>
  db.selectFrom('wallet_replaced').select(['operation_id as id', 'tx_hash as hash']).where('operation_id', 'in', ids).orderBy('id'),
)

const note = statement(
  (db, { id, status, error, nowMs }: Params<{ id: number; status: OperationStatus; error: string | null; nowMs: number }>) =>
    db
      .updateTable('wallet_operations')
      .set({ status, last_error: error, updated_at: nowMs })
      .where('id', '=', id)
      .where('status', 'in', unfinished),
)

export interface OperationEnd {
  readonly status: 'confirmed' | 'failed'
  readonly error?: string
}

/** The records of operations, which survive a crash. */
export interface OperationStore {
  find(key: OperationKey): Promise<Operation | undefined>
  /** Signed and not decided, oldest first. */
  listOpen(): Promise<readonly Operation[]>
  /** Takes the wallet for the operation. False: another one has it, or this one has ended (I-50). */
  claim(operation: Operation): Promise<boolean>
  /** Nothing was signed: another operation may take the wallet. */
  release(operation: Operation): Promise<void>
  /** Stores the signed bytes; call it before they are sent (I-04). False: the operation has ended or has other bytes, so do not send these. */
  recordSigned(operation: Operation, signed: Signature): Promise<boolean>
  /** Stores another transaction with the same nonce, and keeps the one that it replaces (I-04, I-44). False: do not send it. */
  recordReplacement(operation: Operation, replaced: Signature, signed: Signature): Promise<boolean>
  /** Whether the chain cannot say now what became of it, and why. */
  doubt(operation: Operation, message: string | null): Promise<void>
  finish(operation: Operation, end: OperationEnd): Promise<void>
  /** Takes over a transaction that is recorded only in the slot. */
  adopt(attempt: SlotAttempt): Promise<Operation | undefined>
}

type Signature = Omit<SlotAttempt['signed'], 'earlier'>

interface StoreDeps {
  readonly database: Database
  readonly wallet: string
  now(): number
  /** Enqueues the task that follows the operation. */
  schedule(tx: Tx, key: OperationKey): Promise<void>
}

/** Inserts the request and schedules its task. @throws SvcError `wallet_idempotency_conflict` */
export async function insertOperation(tx: Tx, request: OperationRequest, { now, schedule }: Pick<StoreDeps, 'now' | 'schedule'>) {
  const { type, id } = request
  const amount = 'amount' in request ? request.amount.toString() : '0'
  const target = 'dataSetId' in request ? request.dataSetId.toString() : null
  const { changes } = await tx.run(insert, { type, id, amount, target, nowMs: now() })
  const found = changes === 0 ? await tx.get(findByKey, { type, id }) : undefined
  if (found && (found.amount !== amount || found.target !== target)) throw walletErrors.wallet_idempotency_conflict()
  await schedule(tx, { type, id })
}

/** Operations without a final outcome, oldest first. */
export const listUnfinished = (read: Reader): Promise<readonly OperationKey[]> => read.all(listKeys)

/** Call it at the start: each operation that is not final has its task. */
export const recoverOperations = ({ database, schedule }: Pick<StoreDeps, 'database' | 'schedule'>): Promise<void> =>
  database.write(async (tx) => {
    for (const key of await listUnfinished(tx)) await schedule(tx, key)
  })

export function createOperationStore({ database, wallet, now, schedule }: StoreDeps): OperationStore {
  const find = async (read: Reader, key: OperationKey) =>
    (await toOperations(read, await read.all(findByKey, { type: key.type, id: key.id })))[0]
  const noteStatus = async ({ id }: Operation, status: OperationStatus, error: string | null) =>
    void (await database.write((tx) => tx.run(note, { id, status, error, nowMs: now() })))
  const store: OperationStore = {
    find: (key) => database.snapshot((read) => find(read, key)),
    listOpen: () => database.snapshot(async (read) => toOperations(read, await read.all(listSigned, { wallet }))),
    claim: async ({ id }) => (await database.write((tx) => tx.run(claim, { id, wallet, nowMs: now() }))).changes === 1,
    release: async ({ id }) => void (await database.write((tx) => tx.run(release, { id }))),
    recordSigned: async ({ id }, { raw, hash, nonce }) =>
      (await database.write((tx) => tx.run(record, { id, raw, hash, nonce, nowMs: now() }))).changes === 1,
    recordReplacement: ({ id }, { hash: replacedHash, raw: replacedRaw }, { raw, hash }) =>
      database.write(async (tx) => {
        if ((await tx.run(replace, { id, raw, hash, replacedHash, nowMs: now() })).changes === 0) return false
        await tx.run(keepReplaced, { id, hash: replacedHash, raw: replacedRaw, nowMs: now() })
        return true
      }),
    doubt: (operation, message) => noteStatus(operation, message === null ? operationStates.submitted : operationStates.uncertain, message),
    finish: (operation, { status, error = null }) => noteStatus(operation, status, error),
    adopt: ({ type, clientRequestId: id, amount, target, signed }) =>
      database.write(async (tx) => {
        await tx.run(insert, { type, id, amount, target, nowMs: now() })
        const operation = await find(tx, { type, id })
        if (operation?.status !== operationStates.ready || operation.signed) return operation
        await tx.run(claim, { id: operation.id, wallet, nowMs: now() })
        await tx.run(record, { id: operation.id, raw: signed.raw, hash: signed.hash, nonce: signed.nonce, nowMs: now() })
        // The slot keeps only the hashes of earlier transactions, which are looked up and never sent again.
        for (const hash of signed.earlier) await tx.run(keepReplaced, { id: operation.id, hash, raw: '0x', nowMs: now() })
        await schedule(tx, { type, id })
        return find(tx, { type, id })
      }),
  }
  return store
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
