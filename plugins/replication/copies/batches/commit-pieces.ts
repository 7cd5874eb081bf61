/** @walk copies 7: runs one round of a data set: settles open batches, then makes and sends new ones */
import { defineProbe, done, type Outcome } from '#kernel'
import { type DataSet, findDataSet } from '../../datasets/data-set-store.ts'
import { type Wait, waitFor } from '../../pipeline.ts'
import { finishEnd } from '../losses/finish-end.ts'
import { countBatches, openBatchRows, parkedCopies } from '../records/batch-store.ts'
import { piecesOfNextAddition, signBatch } from './batch-terms.ts'
import { distinctPieces } from './distinct-pieces-policy.ts'
import { isSent, type ResolveBatchDeps, resolveSent } from './resolve-batch.ts'
import { type SubmitBatchDeps, submitReady } from './submit-batch.ts'

type CommitDeps = ResolveBatchDeps & SubmitBatchDeps

const recorded = defineProbe('storage.commit.recorded')

/** Batches prepared before they can be sent; further parked copies stay parked. */
const batchesReadyMax = 4

/** One round of a data set's commits. Returns when the next one is due. */
export async function commitPieces(deps: CommitDeps, dataSetId: number, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, pace } = deps
  const dataSet = await findDataSet(database.read, dataSetId)
  if (!dataSet) return done()
  // Batches sent to a lost data set are followed by their nonces, even without an id on chain.
  if (dataSet.chainId === null && dataSet.state !== 'lost') return done()
  const hold = await runRound(deps, dataSet, signal)
  const open = await openBatchRows(database.read, dataSet.id)
  const checks = open.filter(isSent).map((batch) => batch.nextCheckAtMs)
  // Checks of sent batches are not delayed by the wait of the provider.
  if (hold) return { ...hold, untilMs: Math.max(clock.now(), Math.min(hold.untilMs, ...checks)) }
  const ready = dataSet.state === 'ready' ? open.filter((batch) => batch.state === 'ready') : []
  const turns = ready.map((batch) => Math.max(batch.nextCheckAtMs, clock.now() + pace.epochMs / 2))
  // While the maximum of ready batches waits, parked copies wait too.
  const parked =
    dataSet.state === 'ready' && ready.length < batchesReadyMax ? (await parkedCopies(database.read, dataSet.id, 1))[0] : undefined
  const windowEnd = parked ? [parked.parkedAtMs + pace.batchingWindowMs] : []
  const times = [...checks, ...turns, ...windowEnd]
  if (times.length === 0) return done()
  const forMs = Math.max(0, Math.min(...times) - clock.now())
  const delayed = ready.find((batch) => batch.reasonCode !== null && batch.nextCheckAtMs > clock.now())
  if (delayed?.reasonCode) return waitFor(clock, delayed.reasonCode, forMs, delayed.lastError ?? undefined)
  if (checks.length > 0) return waitFor(clock, 'confirmation', forMs, 'waiting for the chain to confirm')
  return waitFor(clock, 'batching', forMs, 'waiting for more pieces to share a transaction')
}

/** Resolves sent batches, batches parked copies, submits ready batches. Returns a wait when the data set takes no more now. */
async function runRound(deps: CommitDeps, dataSet: DataSet, signal: AbortSignal): Promise<Wait | undefined> {
  await finishEnd(deps, dataSet)
  await resolveSent(deps, dataSet, signal)
  if (dataSet.state !== 'ready') {
    // It takes no more pieces: those that did not land are lost with it.
    await finishEnd(deps, dataSet)
    return undefined
  }
  await recordNextBatch(deps, dataSet)
  return submitReady(deps, dataSet, signal)
}

/** Parked copies become a batch once there are enough, or the batching window of the oldest has passed. */
async function recordNextBatch(deps: CommitDeps, dataSet: DataSet): Promise<void> {
  const { database, clock, pace, states } = deps
  if ((await countBatches(database.read, dataSet.id, ['ready'])) >= batchesReadyMax) return
  const piecesMax = await piecesOfNextAddition(deps, dataSet)
  const parked = distinctPieces(await parkedCopies(database.read, dataSet.id, piecesMax))
  const oldest = parked[0]
  if (!oldest || (parked.length < piecesMax && clock.now() < oldest.parkedAtMs + pace.batchingWindowMs)) return
  const batch = await signBatch(deps, dataSet, parked)
  // Records nothing when another batch has taken a copy: the next round retries.
  await database.write((tx) => states.batches.record(tx, { dataSetId: dataSet.id, method: 'store', ...batch }))
  await recorded()
}
