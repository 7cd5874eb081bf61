/** @walk copies 7: runs one round of a data set: settles open batches, then makes and sends new ones */
import { done, type Outcome } from '#kernel'
import { type DataSet, findDataSet } from '../../datasets/data-set-store.ts'
import { type Wait, waitFor } from '../../pipeline.ts'
import { batchStates } from '../../submissions/row-states-policy.ts'
import { holdWrites } from '../losses/data-set-gone.ts'
import { type FinishDeps, finishEnd } from '../losses/finish-end.ts'
import { countBatches, type OpenBatch, openBatchRows, parkedCopies, withItems } from '../records/batch-store.ts'
import { batchesReadyMax, type RecordBatchDeps, recordNextBatch } from './record-batch.ts'
import { isSent, type ResolveBatchDeps, resolveSent } from './resolve-batch.ts'
import { type SubmitBatchDeps, submitBatch } from './submit-batch.ts'

type CommitDeps = FinishDeps & ResolveBatchDeps & RecordBatchDeps & SubmitBatchDeps

/**
 * Batches of one data set that may be in flight at the same time. Neither kind waits for the other, and a batch of pulled pieces is a tenth of
 * the other one.
 */
const batchesInFlightMax = { store: 2, pull: 4 }

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
    dataSet.state === 'ready' && ready.filter(({ method }) => method === 'store').length < batchesReadyMax
      ? (await parkedCopies(database.read, dataSet.id, 1))[0]
      : undefined
  const windowEnd = parked ? [parked.parkedAtMs + pace.batchingWindowMs] : []
  const times = [...checks, ...turns, ...windowEnd]
  if (times.length === 0) return done()
  const forMs = Math.max(0, Math.min(...times) - clock.now())
  const delayed = ready.find((batch) => batch.reasonCode !== null && batch.nextCheckAtMs > clock.now())
  if (delayed?.reasonCode) return waitFor(clock, delayed.reasonCode, forMs, delayed.lastError ?? undefined)
  if (checks.length > 0) return waitFor(clock, 'confirmation', forMs, 'waiting for the chain to confirm')
  return waitFor(clock, 'batching', forMs, 'waiting for more pieces to share a transaction')
}

/** Follows sent batches, records the next one, and sends those that are ready. Returns a wait when the data set takes no more now. */
async function runRound(deps: CommitDeps, dataSet: DataSet, signal: AbortSignal): Promise<Wait | undefined> {
  const { clock, database } = deps
  await finishEnd(deps, dataSet)
  await resolveSent(deps, dataSet, signal)
  if (dataSet.state !== 'ready') return undefined
  const unsettled = await recordNextBatch(deps, dataSet)
  if (unsettled) return unsettled
  const open = await openBatchRows(database.read, dataSet.id)
  const isDue = (batch: OpenBatch) => batch.nextCheckAtMs <= clock.now()
  const ready = open.filter(({ state }) => state === 'ready')
  // Retry-After of one batch is for the provider: a batch recorded later is not sent earlier.
  const refused = ready.find((batch) => batch.reasonCode === 'provider_busy' && !isDue(batch))
  if (refused) return waitFor(clock, 'provider_busy', refused.nextCheckAtMs - clock.now(), refused.lastError ?? undefined)
  for (const row of ready.filter(isDue)) {
    const sent = { method: row.method, states: [batchStates.recorded, batchStates.submitted] }
    if ((await countBatches(database.read, dataSet.id, sent)) >= batchesInFlightMax[row.method]) continue
    const hold = await holdWrites(deps, dataSet)
    if (hold) return hold
    const [batch] = await withItems(database.read, [row])
    const setback = batch && (await submitBatch(deps, { dataSet, batch }, signal))
    if (setback) return setback
  }
  return undefined
}
