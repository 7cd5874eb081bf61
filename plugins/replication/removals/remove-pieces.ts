/** @walk removal 7: looks up open removals on chain, then requests more */
import { defineProbe, done, fail, type Outcome } from '#kernel'
import { findDataSet } from '../datasets/data-set-store.ts'
import { type Depths, readDepths } from '../finality/landing-checks.ts'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { endedStates } from '../states/tables/data-set-transitions-policy.ts'
import { openAttempts } from './attempt-store.ts'
import { type EndRemovalsDeps, endRemovals } from './end-removals.ts'
import type { RemovalsOfDataSet } from './finally-removed.ts'
import { finallyRemoved } from './finally-removed.ts'
import { judgeAttempt } from './judge-attempt.ts'
import { unfinalBatchesToRemoveFrom } from './removable-store.ts'
import {
  hasFreeRemovals,
  hasOpenRemovals,
  markScheduled,
  markUnqueued,
  pendingRemovals,
  type Removal,
  startedRemovals,
  withheldPiece,
} from './removal-store.ts'
import { type SubmitRemovalsDeps, submitRemovals } from './submit-removals.ts'

type RemovePiecesDeps = SubmitRemovalsDeps & EndRemovalsDeps & Pick<Pipeline, 'progressed'>

const scheduled = defineProbe('storage.remove.scheduled')
const removed = defineProbe('storage.remove.removed')

/** Removals of an ended data set per transaction. */
const endedPerTransaction = 500
/** A queued removal takes effect with the next proving period, hours away on the public networks. */
const scheduledEpochs = 10
/** Poll interval for a data set that is not active. */
const inactiveEpochs = 20

interface RemovalWork {
  readonly dataSetId: number
  readonly taskId: number
}

/** One round of a data set's removals: looks up open removals, then requests more. The outcome has the time of the next round. */
export async function removePieces(deps: RemovePiecesDeps, { dataSetId, taskId }: RemovalWork, signal: AbortSignal): Promise<Outcome> {
  const { database, reads, clock, pace } = deps
  const dataSet = await findDataSet(database.read, dataSetId)
  if (!dataSet || dataSet.chainId === null || !(await hasOpenRemovals(database.read, dataSetId))) return done()
  if (endedStates.includes(dataSet.state)) return closeEnded(deps, dataSetId)
  const liveness = await reads.liveness(dataSet.chainId)
  if (!liveness.live && liveness.reason !== 'terminated') {
    return waitFor(
      clock,
      'data_set',
      pace.epochMs * inactiveEpochs,
      'the data set is no longer active: the chain cannot confirm the removal',
    )
  }
  const queued = new Set(await reads.scheduledRemovals(dataSet.chainId))
  const work = { dataSet: { ...dataSet, chainId: dataSet.chainId }, queued, depths: await readDepths(deps), taskId }
  const isEnding = await lookUpStarted(deps, work)
  for (const attempt of await openAttempts(database.read, dataSetId)) await judgeAttempt(deps, { dataSet: work.dataSet, attempt, taskId })
  if (liveness.live) {
    const setback = await submitRemovals(deps, work, signal)
    if (setback) return setback
  }
  return await nextRound(deps, { dataSetId, taskId }, { isEnding, depths: work.depths })
}

async function closeEnded(deps: EndRemovalsDeps, dataSetId: number): Promise<Outcome> {
  const { database, clock } = deps
  const open = [
    ...(await startedRemovals(database.read, dataSetId)),
    ...(await pendingRemovals(database.read, dataSetId, endedPerTransaction)),
  ]
  await endRemovals(deps, open, 'data_set_ended')
  return (await hasOpenRemovals(database.read, dataSetId)) ? waitFor(clock, 'data_set', 0) : done()
}

/**
 * ending: removed, but a reorganisation could bring it back, to be paid for again: its row is kept · unqueued: a reorganisation took
 * the removal out of the queue.
 */
type StartedState = 'queued' | 'unqueued' | 'ending' | 'gone' | 'open'

async function lookUp(
  { reads }: Pick<Pipeline, 'reads'>,
  { dataSet, queued }: RemovalsOfDataSet,
  { pieceId, state }: Removal,
): Promise<Exclude<StartedState, 'ending'>> {
  if (queued.has(pieceId)) return 'queued'
  const found = await reads.pieceState(dataSet.chainId, pieceId)
  if (found === 'gone') return 'gone'
  return found === 'live' && state === 'scheduled' ? 'unqueued' : 'open'
}

/** Records the chain state of pieces with a requested removal. True when some are removed, but not finally. */
async function lookUpStarted(deps: RemovePiecesDeps, work: RemovalsOfDataSet): Promise<boolean> {
  const { database, clock, log } = deps
  const started = await startedRemovals(database.read, work.dataSet.id)
  const found = await Promise.all(started.map((removal) => lookUp(deps, work, removal)))
  const goneIds = started.flatMap(({ pieceId }, index) => (found[index] === 'gone' ? pieceId : []))
  const endedIds = await finallyRemoved(deps, work, goneIds)
  const states = started.map(({ pieceId }, index): StartedState => {
    const state = found[index] ?? 'open'
    return state === 'gone' && !endedIds.has(pieceId) ? 'ending' : state
  })
  const inState = (...wanted: readonly StartedState[]) => started.filter((_, index) => wanted.includes(states[index] ?? 'open'))
  const seen = inState('queued', 'ending').filter(({ state }) => state !== 'scheduled')
  if (seen.length > 0) {
    await database.write(async (tx) => {
      for (const { id } of seen) await markScheduled(tx, id, clock.now())
    })
    deps.progressed()
    await scheduled()
  }
  const unqueued = inState('unqueued')
  if (unqueued.length > 0) {
    await database.write(async (tx) => {
      for (const { id } of unqueued) await markUnqueued(tx, id, clock.now())
    })
    log.warn('queued removals disappeared from the chain and are looked up again', { dataSet: work.dataSet.id, pieces: unqueued.length })
  }
  const gone = inState('gone')
  if (gone.length > 0) {
    await endRemovals(deps, gone, 'removed')
    deps.progressed()
    await removed()
    log.info('pieces removed', { dataSet: work.dataSet.id, pieces: gone.length })
  }
  return inState('ending').length > 0
}

async function nextRound(
  deps: Pick<Pipeline, 'database' | 'clock' | 'pace'>,
  { dataSetId, taskId }: RemovalWork,
  { isEnding, depths }: { readonly isEnding: boolean; readonly depths: Depths },
): Promise<Outcome> {
  const { database, clock, pace } = deps
  const attempts = await openAttempts(database.read, dataSetId)
  if (attempts.some(({ attentionTaskId }) => attentionTaskId === taskId)) {
    return fail(
      'removal_unconfirmed',
      'the removal is not confirmed after 24 hours; a retry checks once more and may then request it again, which costs another fee',
      { retryable: true },
    )
  }
  // Attempts of another, failed task wait for the retry of that task.
  const waiting = attempts.filter(({ attentionTaskId }) => attentionTaskId === null)
  if (waiting.length > 0) {
    const pauseMs = Math.min(...waiting.map(({ checks }) => nextCheckMs(pace, checks)))
    return waitFor(clock, 'confirmation', pauseMs, 'waiting for the chain to confirm that the removal is queued')
  }
  if (isEnding || (await unfinalBatchesToRemoveFrom(database.read, dataSetId, 1)).length > 0) {
    const epochs = Math.min(scheduledEpochs, Math.max(1, Number(depths.confirmed - depths.finalized)))
    return waitFor(clock, 'finality', pace.epochMs * epochs, 'waiting until no reorganisation can change the pieces')
  }
  const isScheduled = (await startedRemovals(database.read, dataSetId)).some(({ state }) => state === 'scheduled')
  if (isScheduled || (await hasFreeRemovals(database.read, dataSetId))) {
    return waitFor(clock, 'proving_period', pace.epochMs * scheduledEpochs, 'the removal takes effect with the next proving period')
  }
  const withheld = await withheldPiece(database.read, { dataSetId, taskId })
  if (withheld !== undefined) {
    const message = `data set ${dataSetId} has another piece on chain under id ${withheld} than the one to be removed: no request was sent; a retry checks once more`
    return fail('removal_withheld', message, { retryable: true })
  }
  return done()
}
