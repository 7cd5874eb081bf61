import { defineProbe, type Outcome } from '#kernel'
import { handleDataSetGone } from '../datasets/data-set-gone.ts'
import type { DataSet } from '../datasets/data-set-store.ts'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import {
  type CommitBatch,
  closeBatch,
  delayBatch,
  raiseAttention,
  recordRefusal,
  recordSubmission,
  recordSubmitted,
  recordUncertain,
  reopenSubmission,
} from './batch-store.ts'
import { canAfford } from './batch-terms.ts'
import { markParked, recountContent, returnToPlanned } from './copy-store.ts'
import { restoreBytes } from './restore-bytes.ts'
import { judgeRefusal, type Setback } from './setback-policy.ts'

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
export async function submitBatch(doors: Pipeline, work: BatchOfDataSet, signal: AbortSignal): Promise<Outcome | undefined> {
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
  })
  await settled()
  funds.forget()
  return undefined
}

/**
 * Nothing was sent, that much is certain: the batch keeps its nonce and waits its time, or gives its copies back. It holds up neither the
 * other batches of the data set nor the task.
 */
async function handleRefusal(doors: Pipeline, work: BatchOfDataSet, setback: Setback, signal: AbortSignal): Promise<Outcome | undefined> {
  const { database, clock, funds, log } = doors
  const { dataSet, batch } = work
  await database.write((tx) => reopenSubmission(tx, batch.id, { message: setback.message, nowMs: clock.now() }))
  if (setback.kind === 'wait') {
    if (setback.reason === 'funding') funds.forget()
    await delay(doors, batch, setback)
    return undefined
  }
  if (setback.kind === 'data_set_gone') return handleDataSetGone(doors, dataSet, setback.message)
  const stored = await findStored(doors, work)
  const discarded = stored ? batch.items.filter((item) => !stored.has(item.pieceCid)) : []
  // The provider lost some of the bytes, as it does with uploads that stay unclaimed too long: those are brought again.
  if (stored && discarded.length > 0 && batch.firstSubmittedAtMs === null) {
    await giveBack(doors, batch, { message: setback.message, isStored: (pieceCid) => stored.has(pieceCid) })
    return waitFor(clock, 'provider', 0, 'the provider no longer has some of the pieces')
  }
  // A batch that may once have reached the chain keeps its nonce for ever: the bytes come to it, its pieces are never signed again.
  await restoreBytes(doors, dataSet.serviceUrl, discarded, signal)
  log.warn('a provider refused a batch', { provider: dataSet.providerId, batch: batch.id, code: setback.code, message: setback.message })
  await refuse(doors, work, setback.message)
  return undefined
}

async function delay(
  { database, clock }: Pipeline,
  batch: CommitBatch,
  why: { readonly reason: string; readonly message: string; readonly forMs: number },
): Promise<void> {
  await database.write((tx) => delayBatch(tx, batch.id, { ...why, untilMs: clock.now() + why.forMs }))
}

async function refuse({ database, clock, pace }: Pipeline, { batch }: BatchOfDataSet, message: string): Promise<void> {
  const nowMs = clock.now()
  const pauseMs = Math.min(pace.epochMs * 2 ** Math.min(batch.checks, refusalsMax), refusalPauseMsMax)
  await database.write((tx) => {
    recordRefusal(tx, batch.id, { message, untilMs: nowMs + pauseMs, nowMs })
    if (batch.checks + 1 >= refusalsMax) raiseAttention(tx, batch.id, 'invalid_submission', nowMs)
  })
}

async function findStored({ providers }: Pipeline, { dataSet, batch }: BatchOfDataSet): Promise<ReadonlySet<string> | undefined> {
  const stored = new Set<string>()
  for (const { pieceCid } of batch.items) {
    const answer = await providers.client(dataSet.serviceUrl).findPiece(pieceCid)
    if (answer.kind !== 'ok') return undefined
    if (answer.value.isFound) stored.add(pieceCid)
  }
  return stored
}

async function giveBack(
  doors: Pipeline,
  batch: CommitBatch,
  why: { readonly message: string; readonly isStored: (pieceCid: string) => boolean },
): Promise<void> {
  const { database, clock, schedule, uploadEvents } = doors
  const nowMs = clock.now()
  await database.write((tx) => {
    closeBatch(tx, batch.id, { message: why.message, nowMs })
    for (const { copyId, contentId, pieceCid } of batch.items) {
      const copy = { copyId, batchId: batch.id }
      if (why.isStored(pieceCid)) markParked(tx, copy, nowMs)
      else returnToPlanned(tx, copy, { code: 'bytes_gone', message: why.message, nowMs, retryAtMs: nowMs })
      recountContent(tx, contentId, nowMs)
      uploadEvents.moved(tx, contentId)
      // The store task decides anew whether the bytes come from the cache or from another provider.
      schedule.store(tx, contentId)
    }
  })
}
