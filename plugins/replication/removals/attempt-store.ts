/** Signed requests for removals, as paid attempts. */
import type { Expression, QueryCreator } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { openValues, valuesThatTake } from '#plugins/wallet'
import { endedRemovalStates } from '../holdings/open-removals-store.ts'
import { removalStates, stepOf } from '../submissions/row-states-policy.ts'
import { type ReplicationTables, statement } from '../tables.ts'
import type { Removal } from './removal-store.ts'

/** One signed request for some pieces. It has no nonce: its outcome is the state of its pieces on chain. */
export interface RemovalAttempt {
  readonly id: number
  readonly txHash: string | null
  readonly startedAtMs: number
  /** Nonce of the provider's sender after its handling time for the attempt. */
  readonly senderNonce: number | null
  readonly checks: number
  /** The task that failed because the attempt stayed unconfirmed: only its retry may send again. */
  readonly attentionTaskId: number | null
}

const findOpen = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .selectFrom('removal_attempts')
    .select(['id', 'tx_hash as txHash', 'started_at as startedAtMs', 'sender_nonce as senderNonce', 'checks'])
    .select('attention_task_id as attentionTaskId')
    .where(
      'id',
      'in',
      db
        .selectFrom('removals')
        .select('attempt_id')
        .where('data_set_id', '=', dataSetId)
        .where('state', 'not in', endedRemovalStates)
        .where('state', 'in', openValues(removalStates)),
    )
    .orderBy('id'),
)

const findReady = statement((db, { ids }: Params<{ ids: readonly number[] }>) =>
  db.selectFrom('removals').select('id').where('id', 'in', ids).where('state', 'in', valuesThatTake(removalStates, 'record')).forUpdate(),
)

interface SignedAttempt {
  readonly dataSetId: number
  readonly extraData: string
  readonly priceList: string | null
  readonly nowMs: number
}

const add = statement((db, { dataSetId, extraData, priceList, nowMs }: Params<SignedAttempt>) =>
  db
    .insertInto('removal_attempts')
    .values({ data_set_id: dataSetId, extra_data: extraData, price_list: priceList, started_at: nowMs, updated_at: nowMs })
    .returning('id'),
)

type OfAttempt<P = Record<never, never>> = Params<P & { attemptId: number }>

const request = statement((db, { attemptId, ids, nowMs }: OfAttempt<{ ids: readonly number[]; nowMs: number }>) =>
  db
    .updateTable('removals')
    .set({ state: removalStates.recorded, attempt_id: attemptId, withheld_task_id: null, updated_at: nowMs })
    .where('id', 'in', ids),
)

const keepHash = statement((db, { attemptId, txHash, nowMs }: OfAttempt<{ txHash: string; nowMs: number }>) =>
  db.updateTable('removal_attempts').set({ tx_hash: txHash, updated_at: nowMs }).where('id', '=', attemptId),
)

/** The removals of an attempt are of its data set, and open removals have an index by data set. */
const openOf = (db: QueryCreator<ReplicationTables>, attemptId: Expression<number>) =>
  db
    .updateTable('removals')
    .where('data_set_id', 'in', db.selectFrom('removal_attempts').select('data_set_id').where('id', '=', attemptId))
    .where('attempt_id', '=', attemptId)
    .where('state', 'not in', endedRemovalStates)

const moveBy = (event: 'answered_ok' | 'answered_uncertain' | 'reopened') =>
  statement((db, { attemptId, nowMs }: OfAttempt<{ nowMs: number }>) => {
    const { from, to } = stepOf(removalStates, event)
    return openOf(db, attemptId)
      .set({ ...(to && { state: to }), ...(event === 'reopened' && { attempt_id: null }), updated_at: nowMs })
      .where('state', 'in', from)
  })
const submit = moveBy('answered_ok')
const doubt = moveBy('answered_uncertain')
const reopen = moveBy('reopened')

const keepFirstError = statement((db, { attemptId, message, nowMs }: OfAttempt<{ message: string; nowMs: number }>) =>
  db
    .updateTable('removal_attempts')
    .set(({ fn }) => ({ last_error: fn.coalesce('last_error', message), updated_at: nowMs }))
    .where('id', '=', attemptId),
)

const keepError = statement((db, { attemptId, message, nowMs }: OfAttempt<{ message: string; nowMs: number }>) =>
  db.updateTable('removal_attempts').set({ last_error: message, updated_at: nowMs }).where('id', '=', attemptId),
)

const observe = statement((db, { attemptId, senderNonce }: OfAttempt<{ senderNonce: number }>) =>
  db.updateTable('removal_attempts').set({ sender_nonce: senderNonce }).where('id', '=', attemptId),
)

const addCheck = statement((db, { attemptId }: OfAttempt) =>
  db
    .updateTable('removal_attempts')
    .set((row) => ({ checks: row('checks', '+', 1) }))
    .where('id', '=', attemptId),
)

const attend = statement((db, { attemptId, taskId }: OfAttempt<{ taskId: number }>) =>
  db.updateTable('removal_attempts').set({ attention_task_id: taskId }).where('id', '=', attemptId).where('attention_task_id', 'is', null),
)

/** Attempts with removals that have no effect on chain yet, oldest first. */
export async function openAttempts(reader: Reader, dataSetId: number): Promise<readonly RemovalAttempt[]> {
  return reader.all(findOpen, { dataSetId })
}

/** Records the attempt before it is sent (I-04). Undefined, without changes, when one of the removals is no longer pending. */
export async function recordAttempt(
  tx: Tx,
  { removals, ...attempt }: SignedAttempt & { readonly removals: readonly Removal[] },
): Promise<number | undefined> {
  const { dataSetId, nowMs } = attempt
  const ids = removals.map(({ id }) => id)
  if ((await tx.all(findReady, { ids })).length < ids.length) return undefined
  const made = await tx.get(add, attempt)
  if (!made) throw new Error(`no removal attempt was inserted for data set ${dataSetId}`)
  await tx.run(request, { attemptId: made.id, ids, nowMs })
  return made.id
}

/** The provider returned a transaction hash. */
export async function recordSubmitted(
  tx: Tx,
  attemptId: number,
  { txHash, nowMs }: { readonly txHash: string; readonly nowMs: number },
): Promise<void> {
  await tx.run(keepHash, { attemptId, txHash, nowMs })
  await tx.run(submit, { attemptId, nowMs })
}

/** The answer was lost: the chain decides, and nothing is sent before that (I-05). */
export async function recordUncertain(
  tx: Tx,
  attemptId: number,
  { message, nowMs }: { readonly message: string; readonly nowMs: number },
): Promise<void> {
  await tx.run(keepFirstError, { attemptId, message, nowMs })
  await tx.run(doubt, { attemptId, nowMs })
}

/** The attempt had no effect, or the operator accepts a second one: its open removals may be requested again. */
export async function reopenAttempt(
  tx: Tx,
  attemptId: number,
  { message, nowMs }: { readonly message: string; readonly nowMs: number },
): Promise<void> {
  await tx.run(keepError, { attemptId, message, nowMs })
  await tx.run(reopen, { attemptId, nowMs })
}

export async function observeAttempt(tx: Tx, attemptId: number, senderNonce: number): Promise<void> {
  await tx.run(observe, { attemptId, senderNonce })
}

export async function countCheck(tx: Tx, attemptId: number): Promise<void> {
  await tx.run(addCheck, { attemptId })
}

/** Undecided for too long: the task fails, and only its retry by an operator sends again. */
export async function raiseAttention(tx: Tx, attemptId: number, taskId: number): Promise<void> {
  await tx.run(attend, { attemptId, taskId })
}
