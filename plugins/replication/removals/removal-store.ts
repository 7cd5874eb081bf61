import { type Expression, type QueryCreator, sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { openValues, valuesThatTake } from '#plugins/wallet'
import { endedRemovalStates } from '../holdings/open-removals-store.ts'
import { removalStates } from '../submissions/row-states-policy.ts'
import { type ReplicationTables, statement } from '../tables.ts'
import type { RemovalState } from './removal-entity.ts'

/** A committed copy of a deleted content, or a surplus piece. */
export interface Removal {
  readonly id: number
  readonly contentId: number
  /** Null: the piece is of a batch that landed after another one had committed its copy. */
  readonly copyId: number | null
  readonly pieceId: bigint
  /** Piece CID that the chain must have under the id before the removal is requested (I-28). */
  readonly pieceCid: string | null
  readonly state: RemovalState
  readonly attemptId: number | null
}

/** Columns of the table `removals`, also in joins. */
export const removalColumns = [
  'removals.id',
  'removals.content_id as contentId',
  'removals.copy_id as copyId',
  'removals.chain_piece_id as pieceId',
  'removals.piece_cid as pieceCid',
  'removals.state',
  'removals.attempt_id as attemptId',
] as const

type OfDataSet<P = Record<never, never>> = Params<P & { dataSetId: number }>
type OfRemoval<P = Record<never, never>> = Params<P & { id: number }>

const openOf = (db: QueryCreator<ReplicationTables>, dataSetId: Expression<number>) =>
  db.selectFrom('removals').where('data_set_id', '=', dataSetId).where('state', 'not in', endedRemovalStates)

const findOpen = statement((db, { dataSetId }: OfDataSet) => openOf(db, dataSetId).select('id').limit(1))

const findStarted = statement((db, { dataSetId }: OfDataSet) =>
  openOf(db, dataSetId)
    .select(removalColumns)
    .where('state', 'in', [...openValues(removalStates), removalStates.landed])
    .orderBy('id'),
)

const findPending = statement((db, { dataSetId, limit }: OfDataSet<{ limit: number }>) =>
  openOf(db, dataSetId).select(removalColumns).where('state', '=', 'pending').orderBy('id').limit(limit),
)

const findFree = statement((db, { dataSetId }: OfDataSet) =>
  openOf(db, dataSetId).select('id').where('state', '=', 'pending').where('withheld_task_id', 'is', null).limit(1),
)

const findWithheld = statement((db, { dataSetId, taskId }: OfDataSet<{ taskId: number }>) =>
  db
    .selectFrom('removals')
    .select('chain_piece_id as pieceId')
    .where('withheld_task_id', '=', taskId)
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', 'pending')
    .orderBy('id')
    .limit(1),
)

const withholdPending = statement((db, { id, taskId }: OfRemoval<{ taskId: number }>) =>
  db
    .updateTable('removals')
    .set({ withheld_task_id: taskId })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('withheld_task_id', 'is distinct from', taskId),
)

const schedule = statement((db, { id, nowMs }: OfRemoval<{ nowMs: number }>) =>
  db
    .updateTable('removals')
    .set({ state: removalStates.landed, withheld_task_id: null, updated_at: nowMs })
    .where('id', '=', id)
    .where('state', 'in', valuesThatTake(removalStates, 'landed')),
)

const rolledBack = valuesThatTake(removalStates, 'rolled_back')

const restartAttempt = statement((db, { id, nowMs }: OfRemoval<{ nowMs: number }>) =>
  db
    .updateTable('removal_attempts')
    .set({ started_at: nowMs, sender_nonce: null, checks: 0, updated_at: nowMs })
    .where('id', 'in', db.selectFrom('removals').select('attempt_id').where('id', '=', id).where('state', 'in', rolledBack)),
)

const unqueue = statement((db, { id, nowMs }: OfRemoval<{ nowMs: number }>) =>
  db
    .updateTable('removals')
    .set({
      state: sql`case when attempt_id is null then ${removalStates.ready} else ${removalStates.uncertain} end`,
      updated_at: nowMs,
    })
    .where('id', '=', id)
    .where('state', 'in', rolledBack),
)

export type EndState = 'removed' | 'data_set_ended'

const end = statement((db, { id, state, nowMs }: OfRemoval<{ state: EndState; nowMs: number }>) =>
  db.updateTable('removals').set({ state, updated_at: nowMs }).where('id', '=', id).where('state', 'not in', endedRemovalStates),
)

/** Whether the data set has removals that have not ended. */
export async function hasOpenRemovals(reader: Reader, dataSetId: number): Promise<boolean> {
  return (await reader.get(findOpen, { dataSetId })) !== undefined
}

/** Requested removals that have not ended: few, because a data set takes `removalsPerCallMax` at a time. */
export async function startedRemovals(reader: Reader, dataSetId: number): Promise<readonly Removal[]> {
  return (await reader.all(findStarted, { dataSetId })).map(toRemoval)
}

/** Pending removals, oldest first. */
export async function pendingRemovals(reader: Reader, dataSetId: number, limit: number): Promise<readonly Removal[]> {
  return (await reader.all(findPending, { dataSetId, limit })).map(toRemoval)
}

/** Whether there are pending removals that do not wait for an operator. */
export async function hasFreeRemovals(reader: Reader, dataSetId: number): Promise<boolean> {
  return (await reader.get(findFree, { dataSetId })) !== undefined
}

/** Piece id of a removal that waits for the operator's retry of this task; undefined when there is none. */
export async function withheldPiece(
  reader: Reader,
  { dataSetId, taskId }: { readonly dataSetId: number; readonly taskId: number },
): Promise<string | undefined> {
  return (await reader.get(findWithheld, { dataSetId, taskId }))?.pieceId
}

/** The chain has another piece under the id: only the operator's retry of this task checks it again. False when already recorded. */
export async function withhold(tx: Tx, id: number, taskId: number): Promise<boolean> {
  return (await tx.run(withholdPending, { id, taskId })).changes === 1
}

export async function markScheduled(tx: Tx, id: number, nowMs: number): Promise<void> {
  await tx.run(schedule, { id, nowMs })
}

/**
 * A reorganisation took the removal out of the queue on chain: its attempt is judged again, from now on. A removal that was queued
 * without an attempt of ours is pending again.
 */
export async function markUnqueued(tx: Tx, id: number, nowMs: number): Promise<void> {
  await tx.run(restartAttempt, { id, nowMs })
  await tx.run(unqueue, { id, nowMs })
}

/** Returns whether the removal had not ended: if another run has ended it, its copy may be deleted and the copy id reused. */
export async function endRemoval(
  tx: Tx,
  id: number,
  { state, nowMs }: { readonly state: EndState; readonly nowMs: number },
): Promise<boolean> {
  return (await tx.run(end, { id, state, nowMs })).changes === 1
}

export const toRemoval = (row: Omit<Removal, 'pieceId'> & { readonly pieceId: string }): Removal => ({
  ...row,
  pieceId: BigInt(row.pieceId),
})
