/** @walk copies 11: gives the batch to its provider */
import { defineProbe } from '#kernel'
import { findSizeRefusal, type NotSentCause, type SubmissionAnswer, type Submitted } from '#plugins/providers'
import { type Sent, type Spending, sendAttempt } from '#plugins/wallet'
import { learnAccepted, learnRefused } from '../../datasets/call-limit-store.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { holdsPieces } from '../../datasets/load-store.ts'
import { writeLimited } from '../../datasets/price-list-store.ts'
import { dataSetRefusalsMax } from '../../datasets/refusal-policy.ts'
import { forgetRefusals, readRefusals } from '../../datasets/refusal-store.ts'
import { nextCheckMs } from '../../pace.ts'
import { type Pipeline, type Wait, waitFor } from '../../pipeline.ts'
import { whyUnpaid } from '../../spending/spend-limits.ts'
import { batchStates } from '../../submissions/row-states-policy.ts'
import { judgeRefusal, type Setback } from '../../submissions/setback-policy.ts'
import { type DataSetGoneDeps, handleDataSetGone, holdWrites } from '../losses/data-set-gone.ts'
import { delayBatch, recordRefusal } from '../records/batch-step-store.ts'
import { type BatchOfDataSet, type CommitBatch, countBatches, type OpenBatch, openBatchRows, withItems } from '../records/batch-store.ts'
import { areLive } from '../records/copy-store.ts'
import { canBeTakenLater } from './withdraw-batch.ts'

export type SubmitBatchDeps = DataSetGoneDeps & Pick<Pipeline, 'funds' | 'providers' | 'cached' | 'settings'>

const recorded = defineProbe('storage.submit.recorded')
const sent = defineProbe('storage.submit.sent')
const settled = defineProbe('storage.submit.settled')

/** Batches of one data set that may be in flight at the same time. */
const batchesInFlightMax = 2
/** A refused batch is sent again after a growing pause; after this many refusals it is reported to the operator. */
const refusalsMax = 12
const refusalPauseMsMax = 10 * 60_000

/** Submits ready batches. Returns a wait when the data set takes no more now. */
export async function submitReady(deps: SubmitBatchDeps, dataSet: DataSet, signal: AbortSignal): Promise<Wait | undefined> {
  const { database, clock, pace } = deps
  const isDue = (batch: OpenBatch) => batch.nextCheckAtMs <= clock.now()
  const open = await openBatchRows(database.read, dataSet.id)
  // Retry-After of one batch is for the provider: a batch recorded later is not sent earlier.
  const refused = open.find((batch) => batch.state === 'ready' && batch.reasonCode === 'provider_busy' && !isDue(batch))
  if (refused) return waitFor(clock, 'provider_busy', refused.nextCheckAtMs - clock.now(), refused.lastError ?? undefined)
  for (const row of open.filter((batch) => batch.state === 'ready' && isDue(batch))) {
    if ((await countBatches(database.read, dataSet.id, [batchStates.recorded, batchStates.submitted])) >= batchesInFlightMax) break
    const hold = await holdWrites(deps, dataSet)
    if (hold) return hold
    const [batch] = await withItems(database.read, [row])
    if (!batch) continue
    const unpaid = await whyUnpaid(deps, await spendingOf(deps, dataSet, batch.items))
    if (unpaid) {
      await delay(deps, batch, { ...unpaid, forMs: pace.fundingMs })
      continue
    }
    const setback = await submitBatch(deps, { dataSet, batch }, signal)
    if (setback) return setback
  }
  return undefined
}

/** What adding these pieces to the data set costs. */
export async function spendingOf(
  { database }: Pick<Pipeline, 'database'>,
  dataSet: DataSet,
  pieces: readonly { readonly length: number }[],
): Promise<Spending> {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  return { dataSets: 0, pieces: pieces.length, bytes, heldBytes: (await holdsPieces(database.read, dataSet.id)) ? 1 : 0 }
}

/** Sends a ready batch to its provider. Undefined when it was sent or delayed; else the wait of the whole data set. */
async function submitBatch(deps: SubmitBatchDeps, work: BatchOfDataSet, signal: AbortSignal): Promise<Wait | undefined> {
  const { clock, pace, providers, states } = deps
  const { dataSet, batch } = work
  if (dataSet.chainId === null) return undefined
  using turn = providers.turns.take(dataSet.serviceUrl, 'mutation')
  if (turn.refusal) {
    const { reason, message, untilMs } = turn.refusal
    return delay(deps, batch, { reason, message, forMs: untilMs - clock.now() })
  }
  signal.throwIfAborted()
  const spending = await spendingOf(deps, dataSet, batch.items)
  const request = { dataSetId: dataSet.chainId, pieces: batch.items.map((item) => item.pieceCid), extraData: batch.extraData }
  const refused = await sendAttempt<true, SubmissionAnswer<Submitted>, NotSentCause | undefined>({
    probes: { recorded, sent },
    record: () => writeLimited(deps, spending, (tx, priceList) => states.batches.apply(tx, 'recorded', batch.id, { priceList })),
    send: () => turn.client.addPieces(request, { signal }),
    answered: (answer) => recordAnswer(deps, work, answer),
    notSent: async ({ cause }) => cause,
  })
  if (!refused) return undefined
  const tooLarge = batch.items.length > 1 ? findSizeRefusal(refused) : undefined
  return tooLarge
    ? shrinkBatch(deps, work, { ...tooLarge, message: refused.detail })
    : handleRefusal(deps, work, judgeRefusal(refused, pace), signal)
}

async function recordAnswer(
  deps: SubmitBatchDeps,
  { dataSet, batch }: BatchOfDataSet,
  answer: Sent<SubmissionAnswer<Submitted>>,
): Promise<undefined> {
  const { database, clock, pace, funds, states } = deps
  const nowMs = clock.now()
  const nextCheckAtMs = nowMs + nextCheckMs(pace, 0)
  await database.write(async (tx) => {
    // If the operator was called, it was because of refusals, and this answer is none.
    await states.batches.dismissOperator(tx, batch)
    if (answer.kind === 'ok') await states.batches.apply(tx, 'accepted', batch.id, { txHash: answer.value.txHash, nextCheckAtMs })
    // The nonce is used: an earlier submission of these bytes landed, and the chain has the piece ids.
    else if (answer.kind === 'landed') await states.batches.apply(tx, 'accepted', batch.id)
    else await states.batches.apply(tx, 'uncertain', batch.id, { message: answer.cause.detail, nextCheckAtMs })
    if (answer.kind === 'uncertain') return
    await forgetRefusals(tx, dataSet.id)
    await learnAccepted(tx, { providerId: dataSet.providerId, call: 'addition' }, batch.items.length)
  })
  await settled()
  funds.forget()
}

/**
 * The provider reports that nothing was sent: the batch keeps its nonce and is delayed, without delaying the data set's other batches or
 * the task.
 */
async function handleRefusal(
  deps: SubmitBatchDeps,
  work: BatchOfDataSet,
  setback: Setback,
  signal: AbortSignal,
): Promise<Wait | undefined> {
  const { database, funds, states } = deps
  const { dataSet, batch } = work
  if (setback.kind !== 'fault') await database.write((tx) => states.batches.apply(tx, 'not_sent', batch.id, { message: setback.message }))
  switch (setback.kind) {
    case 'wait':
      if (setback.reason === 'funding') funds.forget()
      return delay(deps, batch, setback)
    case 'fault':
      return handleFault(deps, work, setback, signal)
    case 'data_set_gone':
      return handleDataSetGone(deps, dataSet, setback.message)
  }
}

async function handleFault(
  deps: SubmitBatchDeps,
  work: BatchOfDataSet,
  { code, message }: { readonly code: string; readonly message: string },
  signal: AbortSignal,
): Promise<undefined> {
  const { clock, database, log, pace, states } = deps
  const { dataSet, batch } = work
  // After the maximum of refusals the bytes are not uploaded again: the batch stays, and the operator is called.
  const isExhausted = (await readRefusals(database.read, dataSet.id)).refusals >= dataSetRefusalsMax
  const isStored = async () => {
    const isWanted = await areLive(
      database.read,
      batch.items.map(({ contentId }) => contentId),
    )
    return isWanted && canBeTakenLater(deps, work, signal)
  }
  const isLater = isExhausted || signal.aborted || (await isStored().catch(ignoreWhenAborted(signal)))
  if (signal.aborted) {
    // An aborted run counts no refusal: the next run sends the batch unchanged.
    await database.write((tx) => states.batches.apply(tx, 'not_sent', batch.id, { message }))
    signal.throwIfAborted()
  }
  log.warn('a provider refused a batch', { provider: dataSet.providerId, batch: batch.id, code, message })
  await database.write(async (tx) => {
    // A refusal is only a report: the chain must show that the nonce is unused before the pieces are uploaded and signed again.
    if (!isLater) return void (await states.batches.apply(tx, 'withdrawn', batch.id, { message }))
    await states.batches.apply(tx, 'not_sent', batch.id, { message })
    const pauseMs = Math.min(pace.epochMs * 2 ** Math.min(batch.checks, refusalsMax), refusalPauseMsMax)
    await recordRefusal(tx, batch.id, { message, untilMs: clock.now() + pauseMs, nowMs: clock.now() })
    if (isExhausted || batch.checks + 1 >= refusalsMax) await states.batches.callOperator(tx, batch, 'invalid_submission')
  })
}

/**
 * The provider takes fewer pieces in one addition, so it will never take the batch as signed: its pieces are signed again in smaller ones,
 * once the chain shows that the nonce is unused.
 */
async function shrinkBatch(
  { database, clock, log, states }: Pick<SubmitBatchDeps, 'database' | 'clock' | 'log' | 'states'>,
  { dataSet, batch }: BatchOfDataSet,
  { named, message }: { readonly named: number | undefined; readonly message: string },
): Promise<undefined> {
  const pieces = batch.items.length
  log.info('a provider takes fewer pieces in one addition', { provider: dataSet.providerId, batch: batch.id, pieces, message })
  await database.write(async (tx) => {
    await learnRefused(tx, { providerId: dataSet.providerId, call: 'addition' }, { pieces, named, nowMs: clock.now() })
    await states.batches.apply(tx, 'withdrawn', batch.id, { message })
  })
}

const ignoreWhenAborted = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error
  return true
}

async function delay(
  { database, clock }: Pick<Pipeline, 'database' | 'clock'>,
  batch: CommitBatch,
  why: { readonly reason: string; readonly message: string; readonly forMs: number },
): Promise<undefined> {
  await database.write((tx) => delayBatch(tx, batch.id, { ...why, untilMs: clock.now() + why.forMs }))
}
