/** @walk copies 6: lets the other providers fetch the piece from the first one */
import { defineProbe, done, fail, type Outcome, type Tx } from '#kernel'
import { findSizeRefusal, type PullStatus, pieceBytesMax, pulledPiecesMax, waitForTurn } from '#plugins/providers'
import { type DataSet, findDataSet } from '../../datasets/data-set-store.ts'
import { dataSetRefusalsMax } from '../../datasets/refusal-policy.ts'
import { readRefusals, throttlePulls } from '../../datasets/refusal-store.ts'
import { type Pipeline, PipelineFault, type Wait, waitFor } from '../../pipeline.ts'
import { whyUnpaid } from '../../spending/spend-limits.ts'
import { learnRefused } from '../../states/call-limit-store.ts'
import { judgeRefusal, type Setback } from '../../submissions/setback-policy.ts'
import { batchesReadyMax, distinctPieces, prepareAddition } from '../batches/record-batch.ts'
import { spendingOf } from '../batches/submit-batch.ts'
import { type DataSetGoneDeps, handleDataSetGone, holdWrites } from '../losses/data-set-gone.ts'
import { delayBatch } from '../records/batch-step-store.ts'
import { type BatchOfDataSet, type CommitBatch, findOpenBatch, type OpenBatch, openBatchRows } from '../records/batch-store.ts'
import { isSmallEnough, pullPiecesMax, withinBytes } from './pull-size-policy.ts'
import { dropUnsourced, sourcesOf } from './pull-sources.ts'
import { nextPullAtMs, pullCandidates } from './pull-store.ts'

type PullPiecesDeps = DataSetGoneDeps & Pick<Pipeline, 'calls' | 'funds' | 'providers' | 'settings' | 'uploads' | 'progressed'>

const recorded = defineProbe('storage.pull.recorded')
const asked = defineProbe('storage.pull.asked')
const settled = defineProbe('storage.pull.settled')

const retryMsMax = 10 * 60_000
const busy = 'the provider is busy and asks for a later retry'
const noFetch = 'the provider could not fetch the piece'

/**
 * Lets this data set's provider pull one batch of missing pieces. The signature of the pull later commits the same pieces, so nonce and
 * signature are recorded before they are sent.
 */
export async function pullPieces(deps: PullPiecesDeps, dataSetId: number, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, pace } = deps
  const dataSet = await findDataSet(database.read, dataSetId)
  if (!dataSet || (dataSet.state !== 'ready' && dataSet.state !== 'planned' && dataSet.state !== 'creating')) return done()
  if (dataSet.state !== 'ready') return waitFor(clock, 'data_set', pace.epochMs)
  const hold = await holdWrites(deps, dataSet)
  if (hold) return hold
  const throttledUntilMs = (await readRefusals(database.read, dataSetId)).pullsThrottledUntilMs ?? 0
  if (throttledUntilMs > clock.now()) return waitFor(clock, 'provider_busy', throttledUntilMs - clock.now(), busy)
  const running = await findOpenBatch(database.read, dataSetId, ({ state }) => state === 'pulling')
  if (running) return follow(deps, { dataSet, batch: running }, signal)
  // One time for both reads: a retry that is due between them would be found by neither.
  const nowMs = clock.now()
  const batch = await begin(deps, dataSet, nowMs)
  if (typeof batch === 'object' && 'unpaid' in batch) return waitFor(clock, batch.unpaid.reason, pace.fundingMs, batch.unpaid.message)
  // Some of the pieces were taken or deleted between the query and the record: start over.
  if (batch === 'changed') return waitFor(clock, 'retry', 0)
  if (batch && 'reason' in batch) return batch
  if (batch) return follow(deps, { dataSet, batch }, signal)
  const nextAtMs = await nextPullAtMs(database.read, dataSetId, nowMs)
  return nextAtMs === undefined ? done() : waitFor(clock, 'retry', nextAtMs - clock.now())
}

/** Batches of pulled pieces that could be sent now. Those that a provider refused do not hold up others. */
async function dueAdditions({ database, clock }: PullPiecesDeps, dataSetId: number): Promise<number> {
  const isDue = ({ state, method, nextCheckAtMs }: OpenBatch) => state === 'ready' && method === 'pull' && nextCheckAtMs <= clock.now()
  return (await openBatchRows(database.read, dataSetId)).filter(isDue).length
}

type Begun = CommitBatch | Wait | { readonly unpaid: NonNullable<Awaited<ReturnType<typeof whyUnpaid>>> } | 'changed' | undefined

async function begin(deps: PullPiecesDeps, dataSet: DataSet, nowMs: number): Promise<Begun> {
  const { database, states, clock, pace } = deps
  if ((await dueAdditions(deps, dataSet.id)) >= batchesReadyMax)
    return waitFor(clock, 'confirmation', pace.epochMs, 'waiting until earlier pulled pieces are added')
  // The pieces of a pull are added by one call.
  const addition = await prepareAddition(deps, dataSet, 'pull', async (piecesMax) => {
    const usualMax = Math.min(pulledPiecesMax, piecesMax)
    const countMax = pullPiecesMax(usualMax, (await readRefusals(database.read, dataSet.id)).pullsThrottledUntilMs, nowMs)
    const due = await pullCandidates(database.read, dataSet.id, nowMs, countMax)
    return withinBytes(distinctPieces(due), pieceBytesMax)
  })
  if (addition === undefined || 'reason' in addition) return addition
  // The provider simulates the commit on chain: without funds it would refuse.
  const unpaid = await whyUnpaid(deps, await spendingOf(deps, dataSet, addition.items))
  if (unpaid) return { unpaid }
  const id = await database.write((tx) => states.batches.record(tx, { dataSetId: dataSet.id, method: 'pull', ...addition }))
  if (id === undefined) return 'changed'
  await recorded()
  return findOpenBatch(database.read, dataSet.id, (batch) => batch.id === id)
}

async function follow(deps: PullPiecesDeps, pulling: BatchOfDataSet, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, pace, providers, chain, states } = deps
  const { dataSet, batch } = pulling
  if (batch.nextCheckAtMs > clock.now())
    return waitFor(clock, batch.reasonCode ?? 'provider', batch.nextCheckAtMs - clock.now(), batch.lastError ?? undefined)
  if (batch.isReleased) {
    await abandon(deps, pulling, 'an earlier attempt committed one of the pieces')
    return waitFor(clock, 'retry', 0)
  }
  const sources = await sourcesOf(deps, batch)
  if (sources.length < batch.items.length) {
    // The signature covers exactly these pieces: a request with fewer would be refused.
    await dropUnsourced(deps, pulling, signal)
    return waitFor(clock, 'source', 0, 'some of the pieces have no provider that can serve them')
  }
  signal.throwIfAborted()
  using turn = providers.turns.take(dataSet.serviceUrl, 'mutation')
  if (turn.refusal) return waitForTurn(turn.refusal)
  const answer = await turn.client.pull(
    {
      dataSetId: dataSet.chainId ?? undefined,
      recordKeeper: chain.network.contracts.fwss,
      extraData: batch.extraData,
      pieces: sources,
    },
    { signal },
  )
  await asked()
  if (answer.kind === 'ok') return await settle(deps, pulling, answer.value)
  // A pull changes nothing on chain and may be sent again with the same bytes.
  if (answer.kind === 'uncertain') {
    if (!isLate(deps, batch)) return waitFor(clock, 'provider', pace.providerMs, answer.cause.detail)
    await abandon(deps, pulling, answer.cause.detail)
    return waitFor(clock, 'provider', pace.providerMs, 'the provider gave no usable answer within the pull limit; the pull starts over')
  }
  if (answer.kind === 'landed') {
    // The nonce is used: the pieces are already on chain, and the commit task reads their ids.
    await database.write(async (tx) => {
      await states.batches.apply(tx, 'pulled', batch.id)
      await deps.schedule.pull(tx, dataSet.id, clock.now())
    })
    return done()
  }
  const tooLarge = findSizeRefusal(answer.cause)
  if (tooLarge) {
    const refused = { pieces: batch.items.length, named: tooLarge.named, nowMs: clock.now() }
    await database.write((tx) => learnRefused(tx, { providerId: dataSet.providerId, call: 'addition' }, refused))
  }
  return await handleRefusal(deps, pulling, judgeRefusal(answer.cause, pace))
}

async function handleRefusal(deps: PullPiecesDeps, pulling: BatchOfDataSet, setback: Setback): Promise<Outcome> {
  const { database, clock, funds } = deps
  const { dataSet, batch } = pulling
  if (setback.kind === 'wait' && setback.reason === 'provider_busy') return throttle(deps, pulling, setback.forMs)
  if (setback.kind === 'wait') {
    if (setback.reason === 'funding') funds.forget()
    await database.write((tx) => delayBatch(tx, batch.id, { ...setback, untilMs: clock.now() + setback.forMs }))
    return waitFor(clock, setback.reason, setback.forMs, setback.message)
  }
  if (setback.kind === 'data_set_gone') {
    const hold = await handleDataSetGone(deps, dataSet, setback.message)
    // When the data set has ended or its creation was rolled back, no operator is needed.
    const isReady = (await findDataSet(database.read, dataSet.id))?.state === 'ready'
    if (!isReady || (await readRefusals(database.read, dataSet.id)).refusals < dataSetRefusalsMax) return hold
    return fail('data_set_refused', hold.message ?? setback.message, { retryable: true })
  }
  await abandon(deps, pulling, setback.message)
  throw new PipelineFault(setback.code, `provider ${dataSet.providerId} refused to pull: ${setback.message}`)
}

/** A busy provider takes few pieces per payer: a larger pull is closed and signed again in smaller ones (I-08). */
async function throttle(deps: PullPiecesDeps, { dataSet, batch }: BatchOfDataSet, forMs: number): Promise<Outcome> {
  const { database, clock } = deps
  await database.write(async (tx) => {
    await throttlePulls(tx, dataSet.id, clock.now() + forMs)
    if (!isSmallEnough(batch.items)) await closePull(deps, tx, batch, { code: 'throttled', message: busy })
  })
  return waitFor(clock, 'provider_busy', forMs, busy)
}

async function settle(deps: PullPiecesDeps, pulling: BatchOfDataSet, status: PullStatus): Promise<Outcome> {
  const { database, clock, pace, states, providers } = deps
  const { batch, dataSet } = pulling
  const stateOf = new Map(status.pieces.map((piece) => [piece.pieceCid, piece.status]))
  const arrived = batch.items.filter(({ pieceCid }) => stateOf.get(pieceCid) === 'complete').map(({ copyId }) => copyId)
  const failed = batch.items.filter(({ pieceCid }) => stateOf.get(pieceCid) === 'failed')
  const isOver = arrived.length + failed.length === batch.items.length
  if (arrived.length > 0 || !isOver) deps.uploads.moved()
  if (!isOver && !isLate(deps, batch)) return waitFor(clock, 'provider_pulling', pace.pullMs)
  const bytes = batch.items.reduce((sum, { length }) => sum + length, 0)
  if (arrived.length < batch.items.length)
    providers.report(dataSet.serviceUrl, { kind: 'pull', failure: { call: 'pull', reason: isOver ? 'pull_failed' : 'timeout' } })
  else providers.report(dataSet.serviceUrl, { kind: 'pull', transfer: { bytes, ms: clock.now() - batch.createdAtMs } })
  await database.write(async (tx) => {
    if (arrived.length === batch.items.length) await states.batches.apply(tx, 'pulled', batch.id)
    else await closePull(deps, tx, batch, { arrived, code: 'pull_failed', message: noFetch, retryAtMs: retryAtMs(deps) })
    // The next run handles pieces that became due during this one.
    await deps.schedule.pull(tx, dataSet.id, clock.now())
  })
  if (arrived.length > 0) deps.progressed()
  await settled()
  return done()
}

const isLate = ({ clock, pace }: Pick<Pipeline, 'clock' | 'pace'>, batch: CommitBatch) => clock.now() - batch.createdAtMs > pace.pullLimitMs

interface ClosedPull {
  /** Copies whose pieces arrived. */
  readonly arrived?: readonly number[]
  readonly code: string
  readonly message: string
  readonly retryAtMs?: number
}

/** The signature covers exactly these pieces: the batch is closed, arrived pieces join a new one, and the others are planned again. */
async function closePull(
  { states }: Pick<Pipeline, 'states'>,
  tx: Tx,
  batch: CommitBatch,
  { arrived = [], ...why }: ClosedPull,
): Promise<void> {
  await states.batches.apply(tx, 'closed', batch.id, why)
  await states.copies.apply(tx, 'stored', { ids: arrived, batchId: batch.id })
  await states.copies.apply(tx, 'pull_failed', { batchId: batch.id }, why)
}

/** The store tasks run first and may upload from the cache. */
const retryAtMs = ({ clock, pace }: Pick<Pipeline, 'clock' | 'pace'>) => clock.now() + Math.min(pace.providerMs * 4, retryMsMax)

async function abandon(deps: PullPiecesDeps, { batch }: BatchOfDataSet, message: string): Promise<void> {
  await deps.database.write((tx) => closePull(deps, tx, batch, { code: 'pull_refused', message, retryAtMs: retryAtMs(deps) }))
}
