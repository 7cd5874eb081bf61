import { defineProbe, done, type Outcome } from '#kernel'
import { piecesPerCallMax } from '../chain/provider-limits.ts'
import { finishEnd, holdWrites } from '../datasets/data-set-gone.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { type Pipeline, type Wait, waitFor } from '../pipeline.ts'
import { type CommitBatch, countBatches, openBatches, parkedCopies, recordBatch } from './batch-store.ts'
import { signBatch } from './batch-terms.ts'
import { distinctPieces } from './distinct-pieces-policy.ts'
import { resolveBatch } from './resolve-batch.ts'
import { submitBatch } from './submit-batch.ts'

const recorded = defineProbe('storage.commit.recorded')

/** Batches of one data set that may be on their way at the same time. */
const batchesOnTheirWayMax = 2
/** Batches that are made before there is room to send them; what is parked beyond these waits as it is. */
const batchesReadyMax = 4

/** One round of a data set's commits: settle what is open, submit what is ready, batch what is parked. Says when to come again. */
export async function commitPieces(doors: Pipeline, dataSetId: number, signal: AbortSignal): Promise<Outcome> {
  const { database } = doors
  const dataSet = findDataSet(database.read, dataSetId)
  if (!dataSet) return done()
  // What was sent to a data set that is lost is followed by its nonces, with or without an id.
  if (dataSet.chainId === null && dataSet.state !== 'lost') return done()
  await finishEnd(doors, dataSet)
  for (const batch of openBatches(database.read, dataSetId)) {
    if (isSent(batch) && isDue(doors, batch)) await resolveBatch(doors, { dataSet, batch }, signal)
  }
  // A data set that takes no more pieces is only followed to the end of what was sent; what did not land ends with it.
  if (dataSet.state !== 'ready') {
    await finishEnd(doors, dataSet)
    return nextRound(doors, dataSet)
  }
  await recordNextBatch(doors, dataSet)
  return nextRound(doors, dataSet, await submitReady(doors, dataSet, signal))
}

/** Undefined, or why the data set takes nothing more now. */
async function submitReady(doors: Pipeline, dataSet: DataSet, signal: AbortSignal): Promise<Wait | undefined> {
  const { database } = doors
  for (const batch of openBatches(database.read, dataSet.id)) {
    if (batch.state !== 'ready' || !isDue(doors, batch)) continue
    if (countBatches(database.read, dataSet.id, ['submitting', 'submitted']) >= batchesOnTheirWayMax) break
    const setback = (await holdWrites(doors, dataSet)) ?? (await submitBatch(doors, { dataSet, batch }, signal))
    if (setback) return setback
  }
  return undefined
}

const isSent = ({ state }: CommitBatch) => state === 'submitting' || state === 'submitted' || state === 'uncertain'
const isDue = ({ clock }: Pipeline, batch: CommitBatch) => batch.nextCheckAtMs <= clock.now()

/** Parked copies become a batch once there are enough, or the oldest waited long enough for company. */
async function recordNextBatch(doors: Pipeline, dataSet: DataSet): Promise<void> {
  const { database, clock, pace } = doors
  if (countBatches(database.read, dataSet.id, ['ready']) >= batchesReadyMax) return
  const parked = distinctPieces(parkedCopies(database.read, dataSet.id, piecesPerCallMax))
  const oldest = parked[0]
  if (!oldest || (parked.length < piecesPerCallMax && clock.now() < oldest.parkedAtMs + pace.lingerMs)) return
  const terms = await signBatch(doors, dataSet, parked)
  // Undefined when a copy was taken meanwhile: the next round sees what is left.
  await database.write((tx) => {
    const id = recordBatch(tx, { dataSetId: dataSet.id, method: 'store', ...terms, items: parked, nowMs: clock.now() })
    if (id !== undefined) for (const { contentId } of parked) doors.uploadEvents.moved(tx, contentId)
  })
  await recorded()
}

function nextRound({ database, clock, pace }: Pipeline, dataSet: DataSet, hold?: Wait): Outcome {
  const open = openBatches(database.read, dataSet.id)
  const checks = open.filter(isSent).map((batch) => batch.nextCheckAtMs)
  // What was sent is followed at its times, however long the provider takes nothing more.
  if (hold) return { ...hold, untilMs: Math.max(clock.now(), Math.min(hold.untilMs, ...checks)) }
  const ready = dataSet.state === 'ready' ? open.filter((batch) => batch.state === 'ready') : []
  const turns = ready.map((batch) => Math.max(batch.nextCheckAtMs, clock.now() + pace.epochMs / 2))
  // While batches wait for room, what is parked behind them waits too.
  const parked = dataSet.state === 'ready' && ready.length < batchesReadyMax ? parkedCopies(database.read, dataSet.id, 1)[0] : undefined
  const linger = parked ? [parked.parkedAtMs + pace.lingerMs] : []
  const times = [...checks, ...turns, ...linger]
  if (times.length === 0) return done()
  const forMs = Math.max(0, Math.min(...times) - clock.now())
  const delayed = ready.find((batch) => batch.reasonCode !== null && batch.nextCheckAtMs > clock.now())
  if (delayed?.reasonCode) return waitFor(clock, delayed.reasonCode, forMs, delayed.lastError ?? undefined)
  if (checks.length > 0) return waitFor(clock, 'confirmation', forMs, 'waiting for the chain to confirm')
  return waitFor(clock, 'batching', forMs, 'waiting for more pieces to share a transaction')
}
