/** The paid attempt that ends a data set. */
import type { Params, Reader, Tx } from '#kernel'
import { valuesThatTake } from '#plugins/wallet'
import type { States } from '../states/states.ts'
import { endingStates } from '../submissions/row-states-policy.ts'
import { statement } from '../tables.ts'
import type { EndingPath, EndingState } from './ending-entity.ts'

export interface Ending {
  readonly dataSetId: number
  readonly state: EndingState
  readonly path: EndingPath
  readonly extraData: string | null
  readonly startedAtMs: number | null
  /** Nonce of the provider's sender after its handling time for the attempt. */
  readonly senderNonce: number | null
  /** Recorded attempts by the current path. */
  readonly attempts: number
  readonly checks: number
  readonly lastError: string | null
  readonly requestedAtMs: number
  /** Since when the provider can be asked to end the service. */
  readonly retiringAtMs: number | null
}

type Change<P = Record<never, never>> = Params<P & { dataSetId: number; nowMs: number }>

const find = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .selectFrom('data_set_endings')
    .select(['data_set_id as dataSetId', 'state', 'path', 'extra_data as extraData', 'started_at as startedAtMs', 'attempts', 'checks'])
    .select(['sender_nonce as senderNonce', 'last_error as lastError', 'requested_at as requestedAtMs', 'retiring_at as retiringAtMs'])
    .where('data_set_id', '=', dataSetId),
)

const retire = statement((db, { dataSetId, nowMs }: Change) =>
  db.updateTable('data_set_endings').set({ retiring_at: nowMs, updated_at: nowMs }).where('data_set_id', '=', dataSetId),
)

const record = statement((db, { dataSetId, extraData, priceList, nowMs }: Change<{ extraData: string | null; priceList: string | null }>) =>
  db
    .updateTable('data_set_endings')
    .set((row) => ({
      state: endingStates.recorded,
      extra_data: extraData,
      price_list: priceList,
      started_at: nowMs,
      sender_nonce: null,
      attempts: row('attempts', '+', 1),
      checks: 0,
      updated_at: nowMs,
    }))
    .where('data_set_id', '=', dataSetId)
    .where('state', 'in', valuesThatTake(endingStates, 'record')),
)

const accept = statement((db, { dataSetId, nowMs }: Change) =>
  db
    .updateTable('data_set_endings')
    .set({ state: endingStates.submitted, updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', 'in', valuesThatTake(endingStates, 'answered_ok')),
)

const doubt = statement((db, { dataSetId, message, nowMs }: Change<{ message: string }>) =>
  db
    .updateTable('data_set_endings')
    .set({ state: endingStates.uncertain, last_error: message, updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', 'in', valuesThatTake(endingStates, 'answered_uncertain')),
)

const reopen = statement((db, { dataSetId, message, nowMs }: Change<{ message: string }>) =>
  db
    .updateTable('data_set_endings')
    .set({ state: endingStates.ready, last_error: message, updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', 'in', valuesThatTake(endingStates, 'reopened')),
)

const forgive = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .updateTable('data_set_endings')
    .set((row) => ({ attempts: row('attempts', '-', 1) }))
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', endingStates.ready)
    .where('attempts', '>', 0),
)

const choosePayer = statement((db, { dataSetId, message, nowMs }: Change<{ message: string }>) =>
  db
    .updateTable('data_set_endings')
    .set({ path: 'payer', attempts: 0, last_error: message, updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', endingStates.ready)
    .where('path', '=', 'relay'),
)

const look = statement((db, { dataSetId, senderNonce }: Params<{ dataSetId: number; senderNonce: number | null }>) =>
  db
    .updateTable('data_set_endings')
    .set((row) => ({ checks: row('checks', '+', 1), sender_nonce: row.fn.coalesce(row.val(senderNonce), 'sender_nonce') }))
    .where('data_set_id', '=', dataSetId),
)

const land = statement((db, { dataSetId, endEpoch, nowMs }: Change<{ endEpoch: string | null }>) =>
  db
    .updateTable('data_set_endings')
    .set({ state: endingStates.landed, end_epoch: endEpoch, checks: 0, last_error: null, updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', 'in', valuesThatTake(endingStates, 'landed')),
)

const rollBack = statement((db, { dataSetId, nowMs }: Change) =>
  db
    .updateTable('data_set_endings')
    .set({ state: endingStates.uncertain, end_epoch: null, started_at: nowMs, sender_nonce: null, checks: 0, updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', 'in', valuesThatTake(endingStates, 'rolled_back')),
)

const close = statement((db, { dataSetId, nowMs }: Change) =>
  db
    .updateTable('data_set_endings')
    .set({ state: endingStates.closed, updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', 'in', valuesThatTake(endingStates, 'ended')),
)

export async function findEnding(read: Reader, dataSetId: number): Promise<Ending | undefined> {
  return read.get(find, { dataSetId })
}

/** The provider can be asked to end the service. */
export async function beginRetiring({ dataSets }: Pick<States, 'dataSets'>, tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  await tx.run(retire, { dataSetId, nowMs })
  // A lost data set stays lost until its end is final.
  await dataSets.apply(tx, 'retiring', dataSetId)
}

/** Records the attempt, with the bytes that will be sent, before it is sent (I-04). The wallet keeps those of its own transactions. */
export async function recordEnding(
  tx: Tx,
  dataSetId: number,
  attempt: { readonly extraData: string | null; readonly priceList: string | null; readonly nowMs: number },
): Promise<boolean> {
  return (await tx.run(record, { dataSetId, ...attempt })).changes === 1
}

export async function acceptEnding(tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  await tx.run(accept, { dataSetId, nowMs })
}

interface Why {
  readonly message: string
  readonly nowMs: number
}

/** The answer was lost: the chain decides, and nothing is sent before that (I-05). */
export async function doubtEnding(tx: Tx, dataSetId: number, why: Why): Promise<void> {
  await tx.run(doubt, { dataSetId, ...why })
}

/** The attempt had no effect. */
export async function reopenEnding(tx: Tx, dataSetId: number, why: Why): Promise<void> {
  await tx.run(reopen, { dataSetId, ...why })
}

/** The provider could not be reached or was busy: the attempt does not count. */
export async function forgiveAttempt(tx: Tx, dataSetId: number): Promise<void> {
  await tx.run(forgive, { dataSetId })
}

/** The provider does not relay the termination: the wallet sends it. Only while no attempt is open. */
export async function endByPayer(tx: Tx, dataSetId: number, why: Why): Promise<void> {
  await tx.run(choosePayer, { dataSetId, ...why })
}

/** `observe`: nonce of the sender to record. */
export async function countLook(tx: Tx, dataSetId: number, observe: number | undefined): Promise<void> {
  await tx.run(look, { dataSetId, senderNonce: observe ?? null })
}

/** `endEpoch` null: the data set is no longer on chain. */
export async function landEnding(
  tx: Tx,
  dataSetId: number,
  { endEpoch, nowMs }: { readonly endEpoch: bigint | null; readonly nowMs: number },
) {
  await tx.run(land, { dataSetId, endEpoch: endEpoch === null ? null : endEpoch.toString(), nowMs })
}

/** A reorganisation removed the termination: its attempt is judged again. */
export async function rollBackEnding(tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  await tx.run(rollBack, { dataSetId, nowMs })
}

/** Nothing is sent any more: the data set has ended finally, or was never created. */
export async function closeEnding(tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  await tx.run(close, { dataSetId, nowMs })
}
