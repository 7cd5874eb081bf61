import { forgetDeleted } from '../catalog/reference-store.ts'
import { type Depths, lookAtBatches } from '../finality/look.ts'
import type { LookVerdict } from '../finality/look-policy.ts'
import { landedBatches } from '../finality/look-store.ts'
import { takeBackBatch } from '../finality/take-back.ts'
import type { Pipeline } from '../pipeline.ts'
import { finallyGone } from './finally-gone.ts'
import { type RemovableRemoval, removableRemovals, unfinalBatchesToRemoveFrom } from './removable-store.ts'
import { endRemoval, markScheduled, type Removal, withhold } from './removal-store.ts'
import type { RemovalsOfDataSet } from './submit-removals.ts'

/** Batches verified for pending removals in one round; the others come with later rounds. */
const batchesPerRound = 35

/** What the chain says of the piece under the recorded id. */
type Found = 'live' | 'queued' | 'gone' | 'other' | 'undecided'

/**
 * The pending removals that may be asked for now: their pieces are final on chain, their nonces still name them in this look, and the
 * chain has the recorded piece CID under each id (I-28). What is gone or queued already is recorded; a removal of which the chain says
 * something else is withheld.
 */
export async function proveRemovals(doors: Pipeline, work: RemovalsOfDataSet, limit: number): Promise<readonly Removal[]> {
  const { database } = doors
  const { dataSet, depths } = work
  await look(doors, unfinalBatchesToRemoveFrom(database.read, dataSet.id, batchesPerRound), depths)
  const removable = removableRemovals(database.read, { dataSetId: dataSet.id, taskId: work.taskId }, limit)
  const verdicts = await look(doors, [...new Set(removable.map(({ batchId }) => batchId))], depths)
  const candidates = removable.filter(stillStands(verdicts))
  const found = await Promise.all(candidates.map(({ removal }) => find(doors, work, removal)))
  const inState = (wanted: Found) => candidates.filter((_, index) => found[index] === wanted)
  // A removal that a reorganisation can take back has not ended.
  const endedIds = await finallyGone(
    doors,
    work,
    inState('gone').map(({ removal }) => removal.pieceId),
  )
  const gone = inState('gone').filter(({ removal }) => endedIds.has(removal.pieceId))
  await settle(doors, { queued: inState('queued'), gone })
  await withholdOthers(doors, work, inState('other'))
  return inState('live').map(({ removal }) => removal)
}

/** One that was final before and only stands now: the node reported earlier finality then than it does now. */
const stillStands =
  (verdicts: ReadonlyMap<number, LookVerdict>) =>
  ({ batchId }: RemovableRemoval): boolean =>
    ['final', 'stands'].includes(verdicts.get(batchId) ?? 'vanished')

async function look(doors: Pipeline, ids: readonly number[], depths: Depths): Promise<ReadonlyMap<number, LookVerdict>> {
  return ids.length === 0 ? new Map() : lookAtBatches(doors, landedBatches(doors.database.read, ids), depths)
}

async function find({ reads }: Pipeline, { dataSet, queued }: RemovalsOfDataSet, { pieceId, pieceCid }: Removal): Promise<Found> {
  const [state, cid] = await Promise.all([reads.pieceState(dataSet.chainId, pieceId), reads.pieceCidOf(dataSet.chainId, pieceId)])
  if (state === 'unknowable') return 'undecided'
  if (state === 'gone') return 'gone'
  // No piece at all: one of the two reads came before its removal.
  if (cid === null) return 'undecided'
  if (cid !== pieceCid) return 'other'
  return queued.has(pieceId) ? 'queued' : 'live'
}

type Settled = Readonly<Record<'queued' | 'gone', readonly RemovableRemoval[]>>

async function settle({ database, clock }: Pipeline, { queued, gone }: Settled): Promise<void> {
  if (queued.length + gone.length === 0) return
  const nowMs = clock.now()
  await database.write((tx) => {
    for (const { removal } of queued) markScheduled(tx, removal.id, nowMs)
    for (const { removal } of gone) {
      endRemoval(tx, removal, { state: 'removed', nowMs })
      forgetDeleted(tx, removal.contentId)
    }
  })
}

/**
 * The nonce stands, and the chain has another piece under the id. The nonce would only confirm the same ids again, so the removal waits for
 * an operator. Not where an earlier version did not record the ids that the nonce named: it may have been others all along.
 */
async function withholdOthers(doors: Pipeline, { depths, taskId }: RemovalsOfDataSet, others: readonly RemovableRemoval[]): Promise<void> {
  const { database, log } = doors
  if (others.length === 0) return
  // Once more, after the pieces: a reorganisation between the two reads takes the batch back and needs no operator.
  const verdicts = await look(doors, [...new Set(others.map(({ batchId }) => batchId))], depths)
  const standing = others.filter(stillStands(verdicts))
  const withheld = await database.write((tx) =>
    standing.filter(({ removal, batchId }) => {
      if (landedBatches(tx, [batchId])[0]?.landing.nextPieceId !== null) return withhold(tx, removal.id, taskId)
      takeBackBatch(doors, tx, batchId, `the chain has another piece under id ${removal.pieceId}`)
      return true
    }),
  )
  for (const { removal } of withheld) {
    log.error('a removal was withheld: the chain has another piece under the recorded id', {
      removal: removal.id,
      pieceId: removal.pieceId.toString(),
      pieceCid: removal.pieceCid,
    })
  }
}
