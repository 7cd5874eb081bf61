/** The only writer of `commit_batches.state`. */
import { sql } from 'kysely'
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { endedRemovalStates } from '../holdings/open-removals-store.ts'
import type { AttentionCode } from '../submissions/attention-policy.ts'
import { removalStates } from '../submissions/row-states-policy.ts'
import { statement } from '../tables.ts'
import { type BatchEventName, type BatchState, batchEvent, batchEvents } from './tables/batch-transitions-policy.ts'
import type { CopyState } from './tables/copy-transitions-policy.ts'
import { ofEach } from './tables/transition.ts'

/** What an event needs to know besides the batch. */
export interface BatchDetails {
  readonly message?: string
  readonly nextCheckAtMs?: number
  readonly txHash?: string | null
  /** Fingerprint of the price list of the attempt. */
  readonly priceList?: string | null
  readonly attention?: AttentionCode
  /** Pieces that the provider takes at once, as its refusal says. */
  readonly piecesMax?: number | undefined
  /** Where it landed, and the number of checks of that so far. */
  readonly landing?: { readonly nextPieceId: bigint; readonly epoch: bigint; readonly checks: number }
}

interface Given {
  readonly id: number
  readonly nowMs: number
  readonly message: string | null
  readonly nextCheckAtMs: number
  readonly txHash: string | null
  readonly priceList: string | null
  readonly attention: AttentionCode | null
  readonly nextPieceId: string | null
  readonly epoch: number | null
  readonly checks: number
}
type Columns = (given: Params<Given>) => object

const noAttention = { attention_at: null, attention_code: null }
/** An answer that proves nothing may hide a transaction. */
const firstSubmission = { first_submitted_at: sql`coalesce(first_submitted_at, submit_started_at)`, checks: 0 }
const doubt: Columns = ({ message, nextCheckAtMs }) => ({ ...firstSubmission, last_error: message, next_check_at: nextCheckAtMs })

const withdraw: Columns = (given) => ({ ...doubt(given), reason_code: 'withdrawn' })

const reopen: Columns = ({ message }) => ({ tx_hash: null, submit_started_at: null, last_error: message })

const columnsOf: Readonly<Record<BatchEventName, Columns>> = {
  pulled: () => ({}),
  recorded: ({ nowMs, priceList }) => ({ submit_started_at: nowMs, price_list: priceList, sender_nonce: null, reason_code: null }),
  // Counts of paid calls leave out what has no time of submission.
  found_on_chain: () => ({}),
  accepted: ({ txHash, nextCheckAtMs }) => ({ ...firstSubmission, tx_hash: txHash, next_check_at: nextCheckAtMs }),
  uncertain: doubt,
  withdrawn: withdraw,
  too_large: withdraw,
  not_sent: reopen,
  // The count of refusals starts again.
  reopened: (given) => ({ ...reopen(given), checks: 0 }),
  watched: ({ nowMs }) => ({
    first_submitted_at: sql`coalesce(first_submitted_at, ${nowMs})`,
    submit_started_at: nowMs,
    sender_nonce: null,
    checks: 0,
    next_check_at: nowMs,
  }),
  attention: ({ nowMs, attention }) => ({ attention_at: sql`coalesce(attention_at, ${nowMs})`, attention_code: attention }),
  attention_ended: () => ({ ...noAttention, attempt_number: sql`attempt_number + 1` }),
  landed: ({ nextPieceId, epoch, checks, nextCheckAtMs }) => ({
    ...noAttention,
    reason_code: null,
    next_piece_id: nextPieceId,
    landed_epoch: epoch,
    final_at: null,
    checks,
    next_check_at: nextCheckAtMs,
  }),
  // The transaction may land again, so the nonce is kept (I-05). Times and refusals start over: only the sender's later transactions count.
  rolled_back: ({ nowMs, nextCheckAtMs, message }) => ({
    first_submitted_at: nowMs,
    submit_started_at: nowMs,
    sender_nonce: null,
    next_piece_id: null,
    reason_code: null,
    landed_epoch: null,
    final_at: null,
    checks: 0,
    next_check_at: nextCheckAtMs,
    last_error: message,
  }),
  closed: ({ message }) => ({ ...noAttention, last_error: message }),
}

const changeBy = (name: BatchEventName) =>
  statement((db, given: Params<Given>) => {
    const { from, to } = batchEvent(name)
    const change = db
      .updateTable('commit_batches')
      .set({ ...columnsOf[name](given), ...(to && { state: to }), updated_at: given.nowMs })
      .where('id', '=', given.id)
      .where('state', 'in', from)
      .returning('data_set_id as dataSetId')
    if (name !== 'recorded') return change
    // I-05: never sent again while another attempt stores one of its copies.
    return change.where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('commit_items').select('ordinal').where('batch_id', '=', given.id).where('released_at', 'is not', null))),
    )
  })
const changes = ofEach(batchEvents, changeBy)

const findSize = statement((db, { id }: Params<{ id: number }>) =>
  db
    .selectFrom('commit_batches as b')
    .innerJoin('data_sets as d', 'd.id', 'b.data_set_id')
    .select(['b.piece_count as pieces', 'd.provider_id as providerId'])
    .where('b.id', '=', id),
)

const findUnsent = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .selectFrom('commit_batches')
    .select('id')
    .where('data_set_id', '=', dataSetId)
    // The condition of the partial index.
    .where('state', 'not in', ['confirmed', 'closed'])
    .where('state', 'in', ['pulling', 'ready']),
)

type Place = Params<{ dataSetId: number; exceptBatchId: number; pieceIds: readonly string[] }>

const findAtPieces = statement((db, { dataSetId, exceptBatchId, pieceIds }: Place) =>
  db
    .selectFrom('copies')
    .select('batch_id as id')
    .distinct()
    .$narrowType<{ id: number }>()
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', 'committed')
    .where('batch_id', '<>', exceptBatchId)
    .where('chain_piece_id', 'in', pieceIds)
    .union(
      db
        .selectFrom('removals')
        .select('surplus_batch_id as id')
        .$narrowType<{ id: number }>()
        .where('data_set_id', '=', dataSetId)
        .where('chain_piece_id', 'in', pieceIds)
        .where('state', 'not in', endedRemovalStates)
        .where('surplus_batch_id', '<>', exceptBatchId),
    )
    .orderBy('id'),
)

const dropUnrequested = statement((db, { batchId }: Params<{ batchId: number }>) =>
  db
    .deleteFrom('removals')
    .where('state', 'not in', endedRemovalStates)
    .where('state', '=', removalStates.ready)
    .where('copy_id', 'in', db.selectFrom('copies').select('id').where('batch_id', '=', batchId)),
)

const closeRequested = statement((db, { batchId, nowMs }: Params<{ batchId: number; nowMs: number }>) =>
  db
    .updateTable('removals')
    .set({ state: removalStates.closed, updated_at: nowMs })
    .where('state', 'not in', endedRemovalStates)
    .where('copy_id', 'in', db.selectFrom('copies').select('id').where('batch_id', '=', batchId)),
)

const closeSurplus = statement((db, { batchId, nowMs }: Params<{ batchId: number; nowMs: number }>) =>
  db
    .updateTable('removals')
    .set({ state: removalStates.closed, updated_at: nowMs })
    .where('state', 'not in', endedRemovalStates)
    .where('surplus_batch_id', '=', batchId),
)

/** Returns the data set of the batch; undefined, without changes, when its state does not take the event. */
export async function changeBatch(
  tx: Tx,
  id: number,
  name: BatchEventName,
  { nowMs, message, nextCheckAtMs, txHash, priceList, attention, landing }: BatchDetails & { readonly nowMs: number },
): Promise<number | undefined> {
  const given = { id, nowMs, message: message ?? null, nextCheckAtMs: nextCheckAtMs ?? nowMs, txHash: txHash ?? null }
  const changed = await tx.get(changes[name], {
    ...given,
    priceList: priceList ?? null,
    attention: attention ?? null,
    nextPieceId: landing?.nextPieceId.toString() ?? null,
    epoch: landing ? Number(landing.epoch) : null,
    checks: landing?.checks ?? 0,
  })
  return changed?.dataSetId
}

/** Number of signed pieces of a batch, and its provider. */
export const sizeOfBatch = (read: Reader, id: number) => read.get(findSize, { id })

/** Batches of the data set that were not sent. */
export async function unsentBatches(read: Reader, dataSetId: number): Promise<readonly number[]> {
  return (await read.all(findUnsent, { dataSetId })).map(({ id }) => id)
}

/** Other batches of the data set whose committed copies, or whose surplus pieces, have one of these recorded piece ids (I-27). */
export async function batchesAtPieces(
  read: Reader,
  { dataSetId, pieceIds }: { readonly dataSetId: number; readonly pieceIds: readonly bigint[] },
  exceptBatchId: number,
): Promise<readonly number[]> {
  return (await read.all(findAtPieces, { dataSetId, exceptBatchId, pieceIds: pieceIds.map(String) })).map(({ id }) => id)
}

/** The pieces of the batch have other ids when it lands again: removals without a request are deleted, requested ones kept as records. */
export async function dropRemovalsOf(tx: Tx, batchId: number, nowMs: number): Promise<void> {
  await tx.run(dropUnrequested, { batchId })
  await tx.run(closeRequested, { batchId, nowMs })
  await tx.run(closeSurplus, { batchId, nowMs })
}

export interface NewBatch {
  readonly dataSetId: number
  readonly method: 'store' | 'pull'
  readonly nonce: bigint
  readonly extraData: string
  readonly items: readonly { readonly copyId: number; readonly pieceCid: string }[]
}

const countFree = statement((db, { copyIds, state }: Params<{ copyIds: readonly number[]; state: CopyState }>) =>
  db
    .selectFrom('copies')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('id', 'in', copyIds)
    .where('state', '=', state)
    .where('batch_id', 'is', null),
)

interface InsertedBatch extends Omit<NewBatch, 'items' | 'nonce'> {
  readonly state: BatchState
  readonly nonce: string
  readonly pieceCount: number
  readonly nowMs: number
}

const insertBatch = statement((db, { dataSetId, method, state, nonce, extraData, pieceCount, nowMs }: Params<InsertedBatch>) =>
  db
    .insertInto('commit_batches')
    .values({
      data_set_id: dataSetId,
      method,
      state,
      nonce,
      extra_data: extraData,
      piece_count: pieceCount,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .returning('id'),
)

/** Written by hand, because each engine has its own form for the members of a list with their positions. */
const insertItems = sqlStatement<{ batchId: number; copyIds: readonly number[]; pieceCids: readonly string[] }>({
  sqlite: `insert into commit_items (batch_id, ordinal, copy_id, piece_cid)
    select :batchId, c.key, c.value, p.value from json_each(:copyIds) c join json_each(:pieceCids) p on p.key = c.key`,
  postgres: `insert into commit_items (batch_id, ordinal, copy_id, piece_cid)
    select cast(:batchId as bigint), ordinality - 1, copy_id, piece_cid
    from unnest(cast(:copyIds as bigint[]), cast(:pieceCids as text[])) with ordinality as items (copy_id, piece_cid, ordinality)`,
})

/** Inserts the batch with its nonce and its signed bytes (I-04, I-24). Undefined, without changes, when a copy is no longer free (I-25). */
export async function addBatch(tx: Tx, { items, ...batch }: NewBatch, nowMs: number): Promise<number | undefined> {
  const isStore = batch.method === 'store'
  const copyIds = items.map(({ copyId }) => copyId)
  const free = await tx.get(countFree, { copyIds, state: isStore ? 'parked' : 'planned' })
  if (free?.n !== items.length) return undefined
  const row = { nonce: batch.nonce.toString(), state: isStore ? 'ready' : 'pulling', pieceCount: items.length, nowMs } as const
  const inserted = await tx.get(insertBatch, { ...batch, ...row })
  if (inserted === undefined) throw new Error(`the batch of data set ${batch.dataSetId} was inserted without an id`)
  await tx.run(insertItems, { batchId: inserted.id, copyIds, pieceCids: items.map(({ pieceCid }) => pieceCid) })
  return inserted.id
}
