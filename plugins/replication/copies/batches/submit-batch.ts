/** @walk copies 11: gives the batch to its provider */
import { defineProbe } from '#kernel'
import type { NotSentCause, SubmissionAnswer, Submitted } from '#plugins/providers'
import { type Spending, sendAttempt } from '#plugins/wallet'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { holdsPieces } from '../../datasets/load-store.ts'
import { writeLimited } from '../../datasets/price-list-store.ts'
import type { Pipeline, Wait } from '../../pipeline.ts'
import { whyUnpaid } from '../../spending/spend-limits.ts'
import { delayBatch } from '../records/batch-step-store.ts'
import type { BatchOfDataSet } from '../records/batch-store.ts'
import { handleRefusal, recordAnswer, type SubmissionAnswerDeps } from './submission-answer.ts'

export type SubmitBatchDeps = SubmissionAnswerDeps & Pick<Pipeline, 'calls' | 'settings'>

const recorded = defineProbe('storage.submit.recorded')
const sent = defineProbe('storage.submit.sent')

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
export async function submitBatch(deps: SubmitBatchDeps, work: BatchOfDataSet, signal: AbortSignal): Promise<Wait | undefined> {
  const { clock, database, pace, providers, states } = deps
  const { dataSet, batch } = work
  if (dataSet.chainId === null) return undefined
  const delay = (reason: string, message: string, untilMs: number) =>
    database.write((tx) => delayBatch(tx, batch.id, { reason, message, untilMs }))
  const spending = await spendingOf(deps, dataSet, batch.items)
  const unpaid = await whyUnpaid(deps, spending)
  if (unpaid) {
    await delay(unpaid.reason, unpaid.message, clock.now() + pace.fundingMs)
    return undefined
  }
  using turn = providers.turns.take(dataSet.serviceUrl, 'mutation')
  if (turn.refusal) {
    await delay(turn.refusal.reason, turn.refusal.message, turn.refusal.untilMs)
    return undefined
  }
  signal.throwIfAborted()
  const request = { dataSetId: dataSet.chainId, pieces: batch.items.map((item) => item.pieceCid), extraData: batch.extraData }
  const refused = await sendAttempt<true, SubmissionAnswer<Submitted>, NotSentCause | undefined>({
    probes: { recorded, sent },
    record: () => writeLimited(deps, spending, (tx, priceList) => states.batches.apply(tx, 'recorded', batch.id, { priceList })),
    send: () => turn.client.addPieces(request, { signal }),
    answered: (answer) => recordAnswer(deps, work, answer),
    notSent: async ({ cause }) => cause,
  })
  return refused && (await handleRefusal(deps, work, refused, signal))
}
