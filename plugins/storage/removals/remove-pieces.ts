import { defineProbe, done, fail, type Outcome } from '#kernel'
import { forgetDeleted } from '../catalog/reference-store.ts'
import { type DataSet, type DataSetState, findDataSet } from '../datasets/data-set-store.ts'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { judgeAttempt } from './judge-attempt.ts'
import { endRemoval, markScheduled, openAttempts, pendingRemovals, type Removal, startedRemovals } from './removal-store.ts'
import { submitRemovals } from './submit-removals.ts'

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
  await lookUpStarted(doors, { ...dataSet, chainId: dataSet.chainId }, queued)
  for (const attempt of openAttempts(database.read, dataSetId)) await judgeAttempt(doors, { dataSet, attempt, taskId })
  if (liveness.live) {
    const setback = await submitRemovals(doors, { dataSet: { ...dataSet, chainId: dataSet.chainId }, queued }, signal)
    if (setback) return setback
  }
  return nextRound(doors, { dataSetId, taskId })
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

/** What the chain says of the pieces whose removal was asked for. */
async function lookUpStarted(doors: Pipeline, dataSet: DataSet & { readonly chainId: bigint }, queued: ReadonlySet<bigint>): Promise<void> {
  const { database, reads, clock } = doors
  const gone: Removal[] = []
  const found: Removal[] = []
  for (const removal of startedRemovals(database.read, dataSet.id)) {
    if (queued.has(removal.pieceId)) {
      if (removal.state !== 'scheduled') found.push(removal)
    } else if ((await reads.pieceState(dataSet.chainId, removal.pieceId)) === 'gone') gone.push(removal)
  }
  if (found.length > 0) {
    await database.write((tx) => {
      for (const { id } of found) markScheduled(tx, id, clock.now())
    })
    doors.progressed()
    await scheduled()
  }
  if (gone.length === 0) return
  await end(doors, gone, 'removed')
  doors.progressed()
  await removed()
  doors.log.info('pieces removed', { dataSet: dataSet.id, pieces: gone.length })
}

function nextRound(doors: Pipeline, { dataSetId, taskId }: RemovalWork): Outcome {
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
  const isScheduled = startedRemovals(database.read, dataSetId).some(({ state }) => state === 'scheduled')
  const hasMore = pendingRemovals(database.read, dataSetId, 1).length > 0
  if (isScheduled || hasMore) {
    return waitFor(clock, 'proving_period', pace.epochMs * scheduledEpochs, 'the removal takes effect with the next proving period')
  }
  return done()
}
