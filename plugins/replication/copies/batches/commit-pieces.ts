/** @walk copies 7: runs one round of a data set: settles open batches, then makes and sends new ones */
import { defineProbe, done, type Outcome } from '#kernel'
import { isOpenRow } from '#plugins/wallet'
import { type DataSet, findDataSet } from '../../datasets/data-set-store.ts'
import { isChainUnreachable, type Pipeline, type Wait, waitFor } from '../../pipeline.ts'
import { batchStates } from '../../submissions/row-states-policy.ts'
import { holdWrites } from '../losses/data-set-gone.ts'
import { finishEnd } from '../losses/finish-end.ts'
import { countBatches, type OpenBatch, openBatchRows, parkedCopies, withItems } from '../records/batch-store.ts'
import { piecesOfNextAddition, signBatch } from './batch-terms.ts'
import { distinctPieces } from './distinct-pieces-policy.ts'
import { type ResolveBatchDeps, resolveBatch } from './resolve-batch.ts'
import { type SubmitBatchDeps, submitBatch } from './submit-batch.ts'

type CommitDeps = ResolveBatchDeps & SubmitBatchDeps

const recorded = defineProbe('storage.commit.recorded')

/** Batches of one data set that may be in flight at the same time. */
const batchesInFlightMax = 2
/** Batches prepared before they can be sent; further parked copies stay parked. */
const batchesReadyMax = 4

/** One round of a data set's commits: resolves sent batches, batches parked copies, submits ready batches. */
export async function commitPieces(deps: CommitDeps, dataSetId: number, signal: AbortSignal): Promise<Outcome> {
  const { database } = deps
  const dataSet = await findDataSet(database.read, dataSetId)
  if (!dataSet) return done()
  // Batches sent to a lost data set are followed by their nonces, even without an id on chain.
  if (dataSet.chainId === null && dataSet.state !== 'lost') return done()
  await finishEnd(deps, dataSet)
  await resolveSent(deps, dataSet, signal)
  // A data set that takes no more pieces only resolves its sent batches; pieces that did not land are lost with it.
  if (dataSet.state !== 'ready') {
    await finishEnd(deps, dataSet)
    return await nextRound(deps, dataSet)
  }
  await recordNextBatch(deps, dataSet)
  return await nextRound(deps, dataSet, await submitReady(deps, dataSet, signal))
}

async function resolveSent(deps: CommitDeps, dataSet: DataSet, signal: AbortSignal): Promise<void> {
  const { database, states } = deps
  const used = (await openBatchRows(database.read, dataSet.id)).filter(
    (batch) => batch.state === 'ready' || (isSent(batch) && isDue(deps, batch)),
  )
  try {
    for (const batch of await withItems(database.read, used)) {
      if (isSent(batch)) await resolveBatch(deps, { dataSet, batch }, signal)
      else if (batch.isReleased) await database.write((tx) => states.batches.apply(tx, 'watched', batch.id))
    }
  } catch (error) {
    if (isChainUnreachable(error)) await reportSilentChain(deps, dataSet.id)
    throw error
  }
}

/** Submits ready batches. Returns a wait when the data set takes no more now. */
async function submitReady(deps: CommitDeps, dataSet: DataSet, signal: AbortSignal): Promise<Wait | undefined> {
  const { database, clock } = deps
  const open = await openBatchRows(database.read, dataSet.id)
  // Retry-After of one batch is for the provider: a batch recorded later is not sent earlier.
  const refused = open.find((batch) => batch.state === 'ready' && batch.reasonCode === 'provider_busy' && !isDue(deps, batch))
  if (refused) return waitFor(clock, 'provider_busy', refused.nextCheckAtMs - clock.now(), refused.lastError ?? undefined)
  for (const batch of open) {
    if (batch.state !== 'ready' || !isDue(deps, batch)) continue
    if ((await countBatches(database.read, dataSet.id, [batchStates.recorded, batchStates.submitted])) >= batchesInFlightMax) break
    const hold = await holdWrites(deps, dataSet)
    if (hold) return hold
    const [ready] = await withItems(database.read, [batch])
    const setback = ready && (await submitBatch(deps, { dataSet, batch: ready }, signal))
    if (setback) return setback
  }
  return undefined
}

const isSent = ({ state }: OpenBatch) => isOpenRow(batchStates, state)
const isDue = ({ clock }: Pick<Pipeline, 'clock'>, batch: OpenBatch) => batch.nextCheckAtMs <= clock.now()

/** Parked copies become a batch once there are enough, or the batching window of the oldest has passed. */
async function recordNextBatch(deps: CommitDeps, dataSet: DataSet): Promise<void> {
  const { database, clock, pace, states } = deps
  if ((await countBatches(database.read, dataSet.id, ['ready'])) >= batchesReadyMax) return
  const piecesMax = await piecesOfNextAddition(deps, dataSet)
  const parked = distinctPieces(await parkedCopies(database.read, dataSet.id, piecesMax))
  const oldest = parked[0]
  if (!oldest || (parked.length < piecesMax && clock.now() < oldest.parkedAtMs + pace.batchingWindowMs)) return
  const batch = await signBatch(deps, dataSet, parked)
  // Undefined when a copy was taken meanwhile: the next round retries.
  await database.write((tx) => states.batches.record(tx, { dataSetId: dataSet.id, method: 'store', ...batch }))
  await recorded()
}

/** No outcome can be looked up: an operator is called for batches that were sent and have been open for too long. */
async function reportSilentChain(
  { database, clock, pace, states }: Pick<Pipeline, 'clock' | 'database' | 'pace' | 'states'>,
  dataSetId: number,
): Promise<void> {
  const isOverdue = (batch: OpenBatch) =>
    isSent(batch) && batch.submitStartedAtMs !== null && clock.now() - batch.submitStartedAtMs >= pace.attentionMs
  if (!(await openBatchRows(database.read, dataSetId)).some(isOverdue)) return
  await database.write(async (tx) => {
    for (const batch of (await openBatchRows(tx, dataSetId)).filter(isOverdue))
      await states.batches.callOperator(tx, batch, 'chain_unreachable')
  })
}

async function nextRound({ database, clock, pace }: CommitDeps, dataSet: DataSet, hold?: Wait): Promise<Outcome> {
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
