/** What follows from a provider's answer to an addition. */
import { defineProbe } from '#kernel'
import { findSizeRefusal, type NotSentCause, type SubmissionAnswer, type Submitted } from '#plugins/providers'
import type { Sent } from '#plugins/wallet'
import { dataSetRefusalsMax } from '../../datasets/refusal-policy.ts'
import { forgetRefusals, readRefusals } from '../../datasets/refusal-store.ts'
import { nextCheckMs } from '../../pace.ts'
import type { Pipeline, Wait } from '../../pipeline.ts'
import { judgeRefusal } from '../../submissions/setback-policy.ts'
import { type DataSetGoneDeps, handleDataSetGone } from '../losses/data-set-gone.ts'
import { delayBatch, recordRefusal } from '../records/batch-step-store.ts'
import type { BatchOfDataSet } from '../records/batch-store.ts'
import { areLive } from '../records/copy-store.ts'
import { canBeTakenLater } from './withdraw-batch.ts'

export type SubmissionAnswerDeps = DataSetGoneDeps & Pick<Pipeline, 'funds' | 'providers' | 'cached'>

const settled = defineProbe('storage.submit.settled')

/** A refused batch is sent again after a growing pause; after this many refusals it is reported to the operator. */
const refusalsMax = 12
const refusalPauseMsMax = 10 * 60_000

/** The provider has the batch, or may have it. */
export async function recordAnswer(
  { database, clock, pace, funds, states }: SubmissionAnswerDeps,
  { dataSet, batch }: BatchOfDataSet,
  answer: Sent<SubmissionAnswer<Submitted>>,
): Promise<undefined> {
  const nextCheckAtMs = clock.now() + nextCheckMs(pace, 0)
  await database.write(async (tx) => {
    // If the operator was called, it was because of refusals, and this answer is none.
    await states.batches.dismissOperator(tx, batch)
    if (answer.kind === 'ok') await states.batches.apply(tx, 'accepted', batch.id, { txHash: answer.value.txHash, nextCheckAtMs })
    // The nonce is used: an earlier submission of these bytes landed, and the chain has the piece ids.
    else if (answer.kind === 'landed') await states.batches.apply(tx, 'accepted', batch.id)
    else await states.batches.apply(tx, 'uncertain', batch.id, { message: answer.cause.detail, nextCheckAtMs })
    if (answer.kind !== 'uncertain') await forgetRefusals(tx, dataSet.id)
  })
  await settled()
  funds.forget()
}

/**
 * The provider reports that nothing was sent: the batch keeps its nonce and is delayed, without delaying the data set's other batches or
 * the task. Returns the wait of a data set that it refuses as a whole.
 */
export async function handleRefusal(
  deps: SubmissionAnswerDeps,
  work: BatchOfDataSet,
  cause: NotSentCause,
  signal: AbortSignal,
): Promise<Wait | undefined> {
  const { clock, database, funds, log, pace, states } = deps
  const { dataSet, batch } = work
  const tooLarge = batch.items.length > 1 ? findSizeRefusal(cause) : undefined
  if (tooLarge) {
    // It never takes the batch as signed: the pieces are signed again in smaller ones, once the chain shows that the nonce is unused.
    log.info('a provider takes fewer pieces in one addition', { provider: dataSet.providerId, batch: batch.id, message: cause.detail })
    await database.write((tx) => states.batches.apply(tx, 'too_large', batch.id, { message: cause.detail, piecesMax: tooLarge.named }))
    return undefined
  }
  const setback = judgeRefusal(cause, pace)
  if (setback.kind === 'fault') return handleFault(deps, work, setback, signal)
  await database.write(async (tx) => {
    await states.batches.apply(tx, 'not_sent', batch.id, { message: setback.message })
    if (setback.kind === 'wait') await delayBatch(tx, batch.id, { ...setback, untilMs: clock.now() + setback.forMs })
  })
  if (setback.kind === 'data_set_gone') return handleDataSetGone(deps, dataSet, setback.message)
  if (setback.reason === 'funding') funds.forget()
  return undefined
}

async function handleFault(
  deps: SubmissionAnswerDeps,
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

const ignoreWhenAborted = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error
  return true
}
