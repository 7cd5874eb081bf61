/** @walk removal 8: selects final pieces whose CID on chain is the recorded one */
import { checkBatches, type Depths, type LandingChecksDeps } from '../finality/landing-checks.ts'
import type { LandingVerdict } from '../finality/landing-policy.ts'
import { landedBatches } from '../finality/landing-store.ts'
import type { Pipeline } from '../pipeline.ts'
import { type EndRemovalsDeps, endRemovals } from './end-removals.ts'
import { finallyRemoved, type RemovalsOfDataSet } from './finally-removed.ts'
import { type RemovableRemoval, removableRemovals, unfinalBatchesToRemoveFrom } from './removable-store.ts'
import { markScheduled, type Removal, withhold } from './removal-store.ts'

type ProveDeps = LandingChecksDeps & EndRemovalsDeps

/** Batches verified for pending removals in one round. */
const batchesPerRound = 35

/** Chain state of the piece under the recorded id; `other`: it has another piece CID. */
type Found = 'live' | 'queued' | 'gone' | 'other' | 'undecided'

/**
 * Pending removals that may be requested now: their pieces are final on chain, their nonces still name them, and the chain has the
 * recorded piece CID under each id (I-28). Pieces already removed or queued are recorded; removals with another piece CID are withheld.
 */
export async function proveRemovals(deps: ProveDeps, work: RemovalsOfDataSet, limit: number): Promise<readonly Removal[]> {
  const { database } = deps
  const { dataSet, depths } = work
  await check(deps, await unfinalBatchesToRemoveFrom(database.read, dataSet.id, batchesPerRound), depths)
  const removable = await removableRemovals(database.read, { dataSetId: dataSet.id, taskId: work.taskId }, limit)
  const verdicts = await check(deps, [...new Set(removable.map(({ batchId }) => batchId))], depths)
  const candidates = removable.filter(isStillConfirmed(verdicts))
  const found = await Promise.all(candidates.map(({ removal }) => find(deps, work, removal)))
  const inState = (wanted: Found) => candidates.filter((_, index) => found[index] === wanted)
  // A reorganisation can still undo the other removals.
  const endedIds = await finallyRemoved(
    deps,
    work,
    inState('gone').map(({ removal }) => removal.pieceId),
  )
  const gone = inState('gone').filter(({ removal }) => endedIds.has(removal.pieceId))
  await settle(deps, { queued: inState('queued'), gone })
  await withholdOthers(deps, work, inState('other'))
  return inState('live').map(({ removal }) => removal)
}

/** A batch that was final counts while it is only confirmed: nodes report different finalized epochs. */
const isStillConfirmed =
  (verdicts: ReadonlyMap<number, LandingVerdict>) =>
  ({ batchId }: RemovableRemoval): boolean =>
    ['final', 'confirmed'].includes(verdicts.get(batchId) ?? 'missing')

async function check(deps: LandingChecksDeps, ids: readonly number[], depths: Depths): Promise<ReadonlyMap<number, LandingVerdict>> {
  return ids.length === 0 ? new Map() : checkBatches(deps, await landedBatches(deps.database.read, ids), depths)
}

async function find(
  { reads }: Pick<Pipeline, 'reads'>,
  { dataSet, queued }: RemovalsOfDataSet,
  { pieceId, pieceCid }: Removal,
): Promise<Found> {
  const [state, cid] = await Promise.all([reads.pieceState(dataSet.chainId, pieceId), reads.pieceCidOf(dataSet.chainId, pieceId)])
  if (state === 'unknowable') return 'undecided'
  if (state === 'gone') return 'gone'
  // The two reads disagree: the piece was removed in between.
  if (cid === null) return 'undecided'
  if (cid !== pieceCid) return 'other'
  return queued.has(pieceId) ? 'queued' : 'live'
}

type Settled = Readonly<Record<'queued' | 'gone', readonly RemovableRemoval[]>>

async function settle(deps: EndRemovalsDeps, { queued, gone }: Settled): Promise<void> {
  const { database, clock } = deps
  if (queued.length > 0) {
    await database.write(async (tx) => {
      for (const { removal } of queued) await markScheduled(tx, removal.id, clock.now())
    })
  }
  await endRemovals(
    deps,
    gone.map(({ removal }) => removal),
    'removed',
  )
}

/**
 * The nonce is confirmed, and the chain has another piece under the id. Another nonce read would give the same ids, so the removal waits
 * for an operator. Exception: batches that an earlier version recorded without piece ids are rolled back.
 */
async function withholdOthers(
  deps: LandingChecksDeps,
  { depths, taskId }: RemovalsOfDataSet,
  others: readonly RemovableRemoval[],
): Promise<void> {
  const { database, log, states } = deps
  if (others.length === 0) return
  // Check the nonce again after the pieces: a reorganisation between the reads rolls the batch back and needs no operator.
  const verdicts = await check(deps, [...new Set(others.map(({ batchId }) => batchId))], depths)
  const confirmed = others.filter(isStillConfirmed(verdicts))
  const withheld = await database.write(async (tx) => {
    const changed: RemovableRemoval[] = []
    for (const other of confirmed) {
      const { removal, batchId } = other
      const [batch] = await landedBatches(tx, [batchId])
      const isOlder = batch?.landing.nextPieceId === null
      if (isOlder) await states.batches.rollBack(tx, batchId, `the chain has another piece under id ${removal.pieceId}`)
      if (isOlder || (await withhold(tx, removal.id, taskId))) changed.push(other)
    }
    return changed
  })
  for (const { removal } of withheld) {
    log.error('a removal is withheld: the chain has another piece under the recorded id; check the piece and retry the task', {
      removal: removal.id,
      pieceId: removal.pieceId.toString(),
      pieceCid: removal.pieceCid,
    })
  }
}
