import type { Expression, QueryCreator } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { valuesThatTake } from '#plugins/wallet'
import { endedRemovalStates } from '../holdings/open-removals-store.ts'
import { batchStates, creationStates, removalStates } from '../submissions/row-states-policy.ts'
import { type ReplicationTables, statement } from '../tables.ts'

interface RolledBack {
  readonly dataSetId: number
  /** Contents with copies that are no longer committed. */
  readonly contentIds: readonly number[]
}

type OfBatch<P = Record<never, never>> = Params<P & { batchId: number }>

// The transaction may land again, so the nonce is kept (I-05). Times and refusals start over: only the sender's later transactions count.
const reopenBatch = statement(
  (db, { batchId, message, nextCheckAtMs, nowMs }: OfBatch<{ message: string; nextCheckAtMs: number; nowMs: number }>) =>
    db
      .updateTable('commit_batches')
      .set({
        state: batchStates.uncertain,
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
        updated_at: nowMs,
      })
      .where('id', '=', batchId)
      .where('state', 'in', valuesThatTake(batchStates, 'rolled_back'))
      .returning('data_set_id as dataSetId'),
)

const copyStates = ['committed', 'unconfirmed'] as const

const copyIds = (db: QueryCreator<ReplicationTables>, batchId: Expression<number>) =>
  db.selectFrom('copies').select('id').where('batch_id', '=', batchId).where('state', 'in', copyStates)

const dropUnrequested = statement((db, { batchId }: OfBatch) =>
  db
    .deleteFrom('removals')
    .where('state', 'not in', endedRemovalStates)
    .where('state', '=', removalStates.ready)
    .where('copy_id', 'in', copyIds(db, batchId)),
)

const endRequested = statement((db, { batchId, nowMs }: OfBatch<{ nowMs: number }>) =>
  db
    .updateTable('removals')
    .set({ state: removalStates.closed, updated_at: nowMs })
    .where('state', 'not in', endedRemovalStates)
    .where('copy_id', 'in', copyIds(db, batchId)),
)

const endSurplus = statement((db, { batchId, nowMs }: OfBatch<{ nowMs: number }>) =>
  db
    .updateTable('removals')
    .set({ state: removalStates.closed, updated_at: nowMs })
    .where('surplus_batch_id', '=', batchId)
    .where('state', 'not in', endedRemovalStates),
)

const doubtCopies = statement((db, { batchId, message, nowMs }: OfBatch<{ message: string; nowMs: number }>) =>
  db
    .updateTable('copies')
    .set({
      state: 'unconfirmed',
      chain_piece_id: null,
      committed_at: null,
      last_error_code: 'reorganised',
      last_error: message,
      updated_at: nowMs,
    })
    .where('batch_id', '=', batchId)
    .where('state', 'in', copyStates)
    .returning('content_id as contentId'),
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

type OnChain<P = Record<never, never>> = Params<P & { id: number; chainId: string; nowMs: number }>

const reopen = statement((db, { id, chainId, message, nowMs }: OnChain<{ message: string }>) =>
  db
    .updateTable('data_sets')
    .set({
      state: creationStates.uncertain,
      chain_id: null,
      create_started_at: nowMs,
      create_sender_nonce: null,
      gone_seen_at: null,
      landed_epoch: null,
      final_at: null,
      looks: 0,
      last_error_code: 'reorganised',
      last_error: message,
      updated_at: nowMs,
    })
    .where('id', '=', id)
    .where('chain_id', '=', chainId)
    .where('state', 'in', ['ready', 'write_blocked', 'retiring']),
)

/** It names the id that the chain no longer has. */
const dropSignedEnding = statement((db, { id }: Params<{ id: number }>) =>
  db.updateTable('data_set_endings').set({ extra_data: null }).where('data_set_id', '=', id),
)

const releaseId = statement((db, { id, chainId, nowMs }: OnChain) =>
  db
    .updateTable('data_sets')
    .set({ chain_id: null, final_at: nowMs, updated_at: nowMs })
    .where('id', '=', id)
    .where('chain_id', '=', chainId)
    .where('state', '=', 'lost'),
)

const findWaiting = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .selectFrom('commit_batches')
    .select('id')
    .where('data_set_id', '=', dataSetId)
    .where('state', 'not in', ['confirmed', 'closed'])
    .unionAll(db.selectFrom('copies').select('id').where('data_set_id', '=', dataSetId).where('state', '=', 'parked'))
    .limit(1),
)

/**
 * A confirmed batch is uncertain again: its copies wait for its nonce as after a lost answer, with the same signed bytes. Undefined,
 * without changes, when the batch is not confirmed.
 */
export async function reopenLanding(
  tx: Tx,
  batchId: number,
  { message, nextCheckAtMs, nowMs }: { readonly message: string; readonly nextCheckAtMs: number; readonly nowMs: number },
): Promise<RolledBack | undefined> {
  const batch = await tx.get(reopenBatch, { batchId, message, nextCheckAtMs, nowMs })
  if (!batch) return undefined
  // Delete removals without a request: the piece gets another row with its next piece id. Requested ones are kept as records.
  await tx.run(dropUnrequested, { batchId })
  await tx.run(endRequested, { batchId, nowMs })
  await tx.run(endSurplus, { batchId, nowMs })
  const copies = await tx.all(doubtCopies, { batchId, message, nowMs })
  const contentIds = [...new Set(copies.map(({ contentId }) => contentId))].sort((a, b) => a - b)
  return { dataSetId: batch.dataSetId, contentIds }
}

/** Other batches of the data set whose committed copies, or whose surplus pieces, have one of these recorded piece ids (I-27). */
export async function batchesAtPieces(
  reader: Reader,
  { dataSetId, pieceIds }: { readonly dataSetId: number; readonly pieceIds: readonly bigint[] },
  exceptBatchId: number,
): Promise<readonly number[]> {
  return (await reader.all(findAtPieces, { dataSetId, exceptBatchId, pieceIds: pieceIds.map(String) })).map(({ id }) => id)
}

/** The creation is undecided again, with the same signed bytes. False when another writer changed the data set meanwhile. */
export async function reopenCreation(
  tx: Tx,
  { id, chainId }: { readonly id: number; readonly chainId: bigint },
  { message, nowMs }: { readonly message: string; readonly nowMs: number },
): Promise<boolean> {
  const { changes } = await tx.run(reopen, { id, chainId: chainId.toString(), message, nowMs })
  if (changes === 1) await tx.run(dropSignedEnding, { id })
  return changes === 1
}

/** The creation of a lost data set is no longer on chain: frees its id for another data set. False when it is not lost. */
export async function releaseLostId(
  tx: Tx,
  { id, chainId }: { readonly id: number; readonly chainId: bigint },
  nowMs: number,
): Promise<boolean> {
  return (await tx.run(releaseId, { id, chainId: chainId.toString(), nowMs })).changes === 1
}

/** Whether batches or parked copies of the data set wait for its id on chain. */
export async function hasWaitingCopies(reader: Reader, dataSetId: number): Promise<boolean> {
  return (await reader.get(findWaiting, { dataSetId })) !== undefined
}
