/** The creation of a data set on chain, as a paid attempt. */
import { sql } from 'kysely'
import type { Params, Tx } from '#kernel'
import { openValues, valuesThatTake } from '#plugins/wallet'
import { creationStates } from '../submissions/row-states-policy.ts'
import { statement } from '../tables.ts'

type Change<P = Record<never, never>> = Params<P & { id: number; nowMs: number }>

const record = statement((db, { id, extraData, priceList, nowMs }: Change<{ extraData: string; priceList: string | null }>) =>
  db
    .updateTable('data_sets')
    .set({
      state: creationStates.recorded,
      create_extra_data: extraData,
      create_price_list: priceList,
      create_started_at: nowMs,
      create_sender_nonce: null,
      updated_at: nowMs,
    })
    .where('id', '=', id)
    .where('state', 'in', valuesThatTake(creationStates, 'record'))
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('data_set_endings').select('state').where('data_set_id', '=', id)))),
)

const recordTx = statement((db, { id, txHash, nowMs }: Change<{ txHash: string }>) =>
  db
    .updateTable('data_sets')
    .set({ create_tx: txHash, updated_at: nowMs })
    .where('id', '=', id)
    .where('state', 'in', valuesThatTake(creationStates, 'answered_ok')),
)

const reopen = statement(
  (db, { id, offeredAtMs, code, message, nowMs }: Change<{ offeredAtMs: number | null; code: string; message: string }>) =>
    db
      .updateTable('data_sets')
      .set({
        state: creationStates.ready,
        create_tx: null,
        create_offered_at: sql`coalesce(create_offered_at, ${offeredAtMs})`,
        last_error_code: code,
        last_error: message,
        updated_at: nowMs,
      })
      .where('id', '=', id)
      .where('state', 'in', valuesThatTake(creationStates, 'reopened')),
)

const observe = statement((db, { id, senderNonce }: Params<{ id: number; senderNonce: number }>) =>
  db
    .updateTable('data_sets')
    .set({ create_sender_nonce: senderNonce })
    .where('id', '=', id)
    .where('state', 'in', valuesThatTake(creationStates, 'observed')),
)

const land = statement((db, { id, chainId, nowMs }: Change<{ chainId: string }>) =>
  db
    .updateTable('data_sets')
    .set({ state: creationStates.landed, chain_id: chainId, last_error_code: null, last_error: null, updated_at: nowMs })
    .where('id', '=', id)
    .where('state', 'in', openValues(creationStates)),
)

const doubt = statement((db, { id, nowMs }: Change) =>
  db
    .updateTable('data_sets')
    .set({ state: creationStates.uncertain, create_started_at: nowMs, create_sender_nonce: null, updated_at: nowMs })
    .where('id', '=', id)
    .where('state', 'in', [creationStates.ready, 'lost'])
    .where('chain_id', 'is', null)
    .where(({ exists, selectFrom }) => exists(selectFrom('data_set_endings').select('state').where('data_set_id', '=', id))),
)

/** Records the attempt, with the bytes that will be sent, before it is sent (I-04). False also for a data set that must end. */
export async function recordCreation(
  tx: Tx,
  id: number,
  { extraData, priceList = null, nowMs }: { readonly extraData: string; readonly priceList?: string | null; readonly nowMs: number },
): Promise<boolean> {
  return (await tx.run(record, { id, extraData, priceList, nowMs })).changes === 1
}

export async function recordCreationTx(tx: Tx, id: number, txHash: string, nowMs: number): Promise<void> {
  await tx.run(recordTx, { id, txHash, nowMs })
}

export interface FailedCreation {
  readonly code: string
  readonly message: string
  readonly nowMs: number
  /** False: the provider certainly never received the signed bytes. */
  readonly wasOffered?: boolean
}

/** The attempt certainly did not land: the same bytes may be sent again. They are kept, so that no second nonce is used. */
export async function reopenCreation(tx: Tx, id: number, { code, message, nowMs, wasOffered = true }: FailedCreation): Promise<void> {
  await tx.run(reopen, { id, offeredAtMs: wasOffered ? nowMs : null, code, message, nowMs })
}

/** Once the sender's final nonce reaches `senderNonce`, an unused creation nonce means that the attempt did not land. */
export async function observeCreation(tx: Tx, id: number, senderNonce: number): Promise<void> {
  await tx.run(observe, { id, senderNonce })
}

/** A data set that must end is not created again, but its provider has the signed creation: the chain decides whether it lands. */
export async function doubtCreation(tx: Tx, id: number, nowMs: number): Promise<void> {
  await tx.run(doubt, { id, nowMs })
}

export async function markReady(tx: Tx, id: number, chainId: bigint, nowMs: number): Promise<void> {
  await tx.run(land, { id, chainId: chainId.toString(), nowMs })
}
