import { defineProbe } from '#kernel'
import { handleDataSetGone } from '../datasets/data-set-gone.ts'
import type { DataSet } from '../datasets/data-set-store.ts'
import { dataSetRefusalsMax } from '../datasets/refusal-policy.ts'
import { forgetRefusals, readRefusals } from '../datasets/refusal-store.ts'
import { nextCheckMs } from '../pace.ts'
import type { Pipeline, Wait } from '../pipeline.ts'
import { callOperator } from './attention.ts'
import {
  type CommitBatch,
  delayBatch,
  recordRefusal,
  recordSubmission,
  recordSubmitted,
  recordUncertain,
  recordWithdrawal,
  reopenSubmission,
} from './batch-store.ts'
import { canAfford } from './batch-terms.ts'
import { judgeRefusal, type Setback } from './setback-policy.ts'
import { canBeTakenLater } from './withdraw-batch.ts'

const recorded = defineProbe('storage.submit.recorded')
const sent = defineProbe('storage.submit.sent')
const settled = defineProbe('storage.submit.settled')

export interface BatchOfDataSet {
  readonly dataSet: DataSet
  readonly batch: CommitBatch
}

/** A refused batch is offered again after a growing pause; after so many refusals an operator is told. */
const refusalsMax = 12
const refusalPauseMsMax = 10 * 60_000

/** Sends a ready batch to its provider. Undefined when it is on its way or waits its time; else what the task should do now. */
export async function submitBatch(doors: Pipeline, work: BatchOfDataSet, signal: AbortSignal): Promise<Wait | undefined> {
  const { database, clock, pace, funds, providers } = doors
  const { dataSet, batch } = work
  if (dataSet.chainId === null) return undefined
  const verdict = await canAfford(doors, dataSet, batch.items)
  if (!verdict.isCovered) {
    await delay(doors, batch, { reason: 'funding', message: verdict.message, forMs: pace.fundingMs })
    return undefined
  }
  using turn = providers.turns.take(dataSet.serviceUrl, 'mutation')
  if (turn.refusal) {
    const { reason, message, untilMs } = turn.refusal
    await delay(doors, batch, { reason, message, forMs: untilMs - clock.now() })
    return undefined
  }
  signal.throwIfAborted()
  // I-04: from here on the attempt is on record, and after a crash the chain is asked before anything is sent again.
  const isOurs = await database.write((tx) => recordSubmission(tx, batch.id, clock.now()))
  if (!isOurs) return undefined
  await recorded()
  const answer = turn.heard(
    await providers
      .client(dataSet.serviceUrl)
      .addPieces({ dataSetId: dataSet.chainId, pieces: batch.items.map((item) => item.pieceCid), extraData: batch.extraData }, { signal }),
  )
  await sent()
  if (answer.kind === 'not_sent') return handleRefusal(doors, work, judgeRefusal(answer.cause, pace), signal)
  const nowMs = clock.now()
  const nextCheckAtMs = nowMs + nextCheckMs(pace, 0)
  await database.write((tx) => {
    if (answer.kind === 'ok') recordSubmitted(tx, batch.id, { txHash: answer.value.txHash, nextCheckAtMs, nowMs })
    // The nonce is used: an earlier send of these bytes landed, and the chain has the piece ids.
    else if (answer.kind === 'landed') recordSubmitted(tx, batch.id, { txHash: null, nextCheckAtMs: nowMs, nowMs })
    else recordUncertain(tx, batch.id, { message: answer.cause.detail, nextCheckAtMs, nowMs })
    if (answer.kind !== 'uncertain') forgetRefusals(tx, dataSet.id)
  })
  await settled()
  funds.forget()
  return undefined
}

/**
 * The provider says that nothing was sent: the batch keeps its nonce and waits its time. It holds up neither the other batches of the data
 * set nor the task.
 */
async function handleRefusal(doors: Pipeline, work: BatchOfDataSet, setback: Setback, signal: AbortSignal): Promise<Wait | undefined> {
  const { database, clock, funds } = doors
  const { dataSet, batch } = work
  if (setback.kind === 'fault') return handleFault(doors, work, setback, signal)
  await database.write((tx) => reopenSubmission(tx, batch.id, { message: setback.message, nowMs: clock.now() }))
  if (setback.kind === 'data_set_gone') return handleDataSetGone(doors, dataSet, setback.message)
  if (setback.reason === 'funding') funds.forget()
  await delay(doors, batch, setback)
  return undefined
}

async function handleFault(
  doors: Pipeline,
  work: BatchOfDataSet,
  { code, message }: { readonly code: string; readonly message: string },
  signal: AbortSignal,
): Promise<undefined> {
  const { database, clock, log } = doors
  const { dataSet, batch } = work
  // Brought so often in vain, the bytes are not brought again: the batch stays, and an operator is called.
  const isInVain = readRefusals(database.read, dataSet.id).refusals >= dataSetRefusalsMax
  const isLater = isInVain || signal.aborted || (await canBeTakenLater(doors, work, signal).catch(unlessCalledOff(signal)))
  if (signal.aborted) {
    // Nothing was sent, and a run that is called off counts no refusal: the next one offers the batch as it is.
    await database.write((tx) => reopenSubmission(tx, batch.id, { message, nowMs: clock.now() }))
    signal.throwIfAborted()
  }
  log.warn('a provider refused a batch', { provider: dataSet.providerId, batch: batch.id, code, message })
  if (isLater) return refuse(doors, work, { message, isInVain })
  // A refusal is the provider's word: only the chain frees the nonce, and then its pieces are brought and signed anew.
  const nowMs = clock.now()
  await database.write((tx) => recordWithdrawal(tx, batch.id, { message, nextCheckAtMs: nowMs, nowMs }))
}

const unlessCalledOff = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error
  return true
}

async function delay(
  { database, clock }: Pipeline,
  batch: CommitBatch,
  why: { readonly reason: string; readonly message: string; readonly forMs: number },
): Promise<void> {
  await database.write((tx) => delayBatch(tx, batch.id, { ...why, untilMs: clock.now() + why.forMs }))
}

async function refuse(
  doors: Pipeline,
  { batch }: BatchOfDataSet,
  { message, isInVain }: { readonly message: string; readonly isInVain: boolean },
): Promise<undefined> {
  const { database, clock, pace } = doors
  const nowMs = clock.now()
  const pauseMs = Math.min(pace.epochMs * 2 ** Math.min(batch.checks, refusalsMax), refusalPauseMsMax)
  await database.write((tx) => {
    reopenSubmission(tx, batch.id, { message, nowMs })
    recordRefusal(tx, batch.id, { message, untilMs: nowMs + pauseMs, nowMs })
    if (isInVain || batch.checks + 1 >= refusalsMax) callOperator(doors, tx, batch, 'invalid_submission')
  })
}
