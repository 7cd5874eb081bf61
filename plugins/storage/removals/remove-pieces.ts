import { defineProbe, done, fail, type Outcome } from '#kernel'
import { forgetDeleted } from '../catalog/reference-store.ts'
import { type DataSetState, findDataSet } from '../datasets/data-set-store.ts'
import { type Depths, readDepths } from '../finality/look.ts'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { finallyGone } from './finally-gone.ts'
import { judgeAttempt } from './judge-attempt.ts'
import { unfinalBatchesToRemoveFrom } from './removable-store.ts'
import {
  endRemoval,
  hasFreeRemovals,
  markScheduled,
  markUnqueued,
  openAttempts,
  pendingRemovals,
  type Removal,
  startedRemovals,
  withheldPiece,
} from './removal-store.ts'
import { type RemovalsOfDataSet, submitRemovals } from './submit-removals.ts'

const scheduled = defineProbe('storage.remove.scheduled')
const removed = defineProbe('storage.remove.removed')

/** Our own record says that the data set, with everything in it, is gone. */
const endedStates: ReadonlySet<DataSetState> = new Set(['retired', 'abandoned'])
/** Removals of an ended data set that are closed in one transaction. */
const endedAtOnce = 500
/** A queued removal takes effect with the next proving period, hours away on the public networks. */
const scheduledEpochs = 10
/** A data set that is not active is looked at this often. */
const inactiveEpochs = 20

export interface RemovalWork {
  readonly dataSetId: number
  readonly taskId: number
}

/** One round of a data set's removals: look up what is open, then ask for more. Says when to come again. Safe to repeat at any point. */
export async function removePieces(doors: Pipeline, { dataSetId, taskId }: RemovalWork, signal: AbortSignal): Promise<Outcome> {
  const { database, reads, clock, pace } = doors
  const dataSet = findDataSet(database.read, dataSetId)
  if (!dataSet || dataSet.chainId === null || !hasOpen(doors, dataSetId)) return done()
  if (endedStates.has(dataSet.state)) return closeEnded(doors, dataSetId)
  const liveness = await reads.liveness(dataSet.chainId)
  if (!liveness.live && liveness.reason !== 'terminated') {
    return waitFor(
      clock,
      'data_set',
      pace.epochMs * inactiveEpochs,
      'the data set is not active any more: the chain cannot confirm the removal',
    )
  }
  const queued = new Set(await reads.scheduledRemovals(dataSet.chainId))
  const work = { dataSet: { ...dataSet, chainId: dataSet.chainId }, queued, depths: await readDepths(doors), taskId }
  const isEnding = await lookUpStarted(doors, work)
  for (const attempt of openAttempts(database.read, dataSetId)) await judgeAttempt(doors, { dataSet: work.dataSet, attempt, taskId })
  if (liveness.live) {
    const setback = await submitRemovals(doors, work, signal)
    if (setback) return setback
  }
  return nextRound(doors, { dataSetId, taskId }, { isEnding, depths: work.depths })
}

const hasOpen = ({ database }: Pipeline, dataSetId: number): boolean =>
  startedRemovals(database.read, dataSetId).length > 0 || pendingRemovals(database.read, dataSetId, 1).length > 0

async function closeEnded(doors: Pipeline, dataSetId: number): Promise<Outcome> {
  const { database, clock } = doors
  const open = [...startedRemovals(database.read, dataSetId), ...pendingRemovals(database.read, dataSetId, endedAtOnce)]
  await end(doors, open, 'moot')
  return hasOpen(doors, dataSetId) ? waitFor(clock, 'data_set', 0) : done()
}

async function end({ database, clock }: Pipeline, removals: readonly Removal[], state: 'removed' | 'moot'): Promise<void> {
  if (removals.length === 0) return
  const nowMs = clock.now()
  await database.write((tx) => {
    for (const removal of removals) {
      endRemoval(tx, removal, { state, nowMs })
      forgetDeleted(tx, removal.contentId)
    }
  })
}

/**
 * ending: gone, and a reorganisation could still bring it back, to be paid for ever: it is not forgotten yet · unqueued: it was in the
 * queue, and a reorganisation took it out.
 */
type StartedState = 'queued' | 'unqueued' | 'ending' | 'gone' | 'open'

async function lookUp(
  { reads }: Pipeline,
  { dataSet, queued }: RemovalsOfDataSet,
  { pieceId, state }: Removal,
): Promise<Exclude<StartedState, 'ending'>> {
  if (queued.has(pieceId)) return 'queued'
  const found = await reads.pieceState(dataSet.chainId, pieceId)
  if (found === 'gone') return 'gone'
  return found === 'live' && state === 'scheduled' ? 'unqueued' : 'open'
}

/** Records what the chain says of the pieces whose removal was asked for. True when some are gone, but not finally. */
async function lookUpStarted(doors: Pipeline, work: RemovalsOfDataSet): Promise<boolean> {
  const { database, clock, log } = doors
  const started = startedRemovals(database.read, work.dataSet.id)
  const found = await Promise.all(started.map((removal) => lookUp(doors, work, removal)))
  const goneIds = started.flatMap(({ pieceId }, index) => (found[index] === 'gone' ? pieceId : []))
  const endedIds = await finallyGone(doors, work, goneIds)
  const states = started.map(({ pieceId }, index): StartedState => {
    const state = found[index] ?? 'open'
    return state === 'gone' && !endedIds.has(pieceId) ? 'ending' : state
  })
  const inState = (...wanted: readonly StartedState[]) => started.filter((_, index) => wanted.includes(states[index] ?? 'open'))
  const seen = inState('queued', 'ending').filter(({ state }) => state !== 'scheduled')
  if (seen.length > 0) {
    await database.write((tx) => {
      for (const { id } of seen) markScheduled(tx, id, clock.now())
    })
    doors.progressed()
    await scheduled()
  }
  const unqueued = inState('unqueued')
  if (unqueued.length > 0) {
    await database.write((tx) => {
      for (const { id } of unqueued) markUnqueued(tx, id, clock.now())
    })
    log.warn('queued removals vanished from the chain and are looked up again', { dataSet: work.dataSet.id, pieces: unqueued.length })
  }
  const gone = inState('gone')
  if (gone.length > 0) {
    await end(doors, gone, 'removed')
    doors.progressed()
    await removed()
    log.info('pieces removed', { dataSet: work.dataSet.id, pieces: gone.length })
  }
  return inState('ending').length > 0
}

function nextRound(
  doors: Pipeline,
  { dataSetId, taskId }: RemovalWork,
  { isEnding, depths }: { readonly isEnding: boolean; readonly depths: Depths },
): Outcome {
  const { database, clock, pace } = doors
  const attempts = openAttempts(database.read, dataSetId)
  if (attempts.some(({ attentionTaskId }) => attentionTaskId === taskId)) {
    return fail(
      'removal_unconfirmed',
      'the removal is not confirmed after 24 hours; a retry looks once more and may then ask for it again, for which a fee is due',
      { retryable: true },
    )
  }
  // What another, failed task stands for waits for its retry.
  const waiting = attempts.filter(({ attentionTaskId }) => attentionTaskId === null)
  if (waiting.length > 0) {
    const pauseMs = Math.min(...waiting.map(({ checks }) => nextCheckMs(pace, checks)))
    return waitFor(clock, 'confirmation', pauseMs, 'waiting for the chain to confirm that the removal is queued')
  }
  if (isEnding || unfinalBatchesToRemoveFrom(database.read, dataSetId, 1).length > 0) {
    const epochs = Math.min(scheduledEpochs, Math.max(1, Number(depths.confirmed - depths.finalized)))
    return waitFor(clock, 'finality', pace.epochMs * epochs, 'pieces are removed, and forgotten, once no reorganisation can change them')
  }
  const isScheduled = startedRemovals(database.read, dataSetId).some(({ state }) => state === 'scheduled')
  if (isScheduled || hasFreeRemovals(database.read, dataSetId)) {
    return waitFor(clock, 'proving_period', pace.epochMs * scheduledEpochs, 'the removal takes effect with the next proving period')
  }
  const withheld = withheldPiece(database.read, { dataSetId, taskId })
  if (withheld !== undefined) {
    const message = `data set ${dataSetId} has another piece on chain under id ${withheld} than the one to be removed: nothing was sent for it; a retry looks once more`
    return fail('removal_withheld', message, { retryable: true })
  }
  return done()
}
