/** @walk copies 13: confirms the copies of a batch that landed */
import { defineProbe } from '#kernel'
import { pieceIdsOf } from '#plugins/providers'
import { isChainUnreachable, isOpenRow, settleAttempt, stateOfRow, type Undecided } from '#plugins/wallet'
import { isTransactionKnown } from '../../chain/find-transaction.ts'
import { countMetadataLists } from '../../chain/typed-data.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { nextCheck, readDepths } from '../../finality/landing-checks.ts'
import { nextCheckMs } from '../../pace.ts'
import { type Pipeline, PipelineFault } from '../../pipeline.ts'
import { takesPieces } from '../../states/tables/data-set-transitions-policy.ts'
import { type AttentionCode, codeOfUndecided } from '../../submissions/attention-policy.ts'
import { isReportedFailed } from '../../submissions/provider-report.ts'
import { batchStates } from '../../submissions/row-states-policy.ts'
import { countSent } from '../../submissions/sender-nonces.ts'
import { postponeCheck } from '../records/batch-step-store.ts'
import { type BatchOfDataSet, type CommitBatch, isWithdrawn, type OpenBatch, openBatchRows, withItems } from '../records/batch-store.ts'
import { closeWithdrawn, type WithdrawBatchDeps } from './withdraw-batch.ts'

const confirmed = defineProbe('storage.commit.confirmed')
const reopened = defineProbe('storage.commit.reopened')

export type ResolveBatchDeps = WithdrawBatchDeps & Pick<Pipeline, 'chain' | 'log' | 'progressed' | 'reads' | 'schedule' | 'signer'>

interface NonceLanding {
  readonly dataSetId: bigint
  readonly nextPieceId?: bigint
}

/** What the chain says about a batch. */
type Verdict =
  | { readonly kind: 'landed'; readonly nextPieceId: bigint }
  /** The nonce was used for another data set: the batch can never land. */
  | { readonly kind: 'mismatch'; readonly dataSetId: bigint }
  | { readonly kind: 'not_landed'; readonly isReportedFailed: boolean }
  | { readonly kind: 'undecided'; readonly open: Undecided; readonly isReported: boolean }

export const isSent = ({ state }: OpenBatch): boolean => isOpenRow(batchStates, state)

/** Looks up the sent batches of a data set that are due. */
export async function resolveSent(deps: ResolveBatchDeps, dataSet: DataSet, signal: AbortSignal): Promise<void> {
  const { database, clock, pace, states } = deps
  const used = (await openBatchRows(database.read, dataSet.id)).filter(
    (batch) => batch.state === 'ready' || (isSent(batch) && batch.nextCheckAtMs <= clock.now()),
  )
  try {
    for (const batch of await withItems(database.read, used)) {
      if (isSent(batch)) await resolveBatch(deps, { dataSet, batch }, signal)
      else if (batch.isReleased) await database.write((tx) => states.batches.apply(tx, 'watched', batch.id))
    }
  } catch (error) {
    if (!isChainUnreachable(error)) throw error
    // No outcome can be looked up: an operator is called for batches that were sent and have been open for too long.
    const isOverdue = (batch: OpenBatch) =>
      isSent(batch) && batch.submitStartedAtMs !== null && clock.now() - batch.submitStartedAtMs >= pace.attentionMs
    await database.write(async (tx) => {
      const overdue = (await openBatchRows(tx, dataSet.id)).filter(isOverdue)
      for (const batch of overdue) await states.batches.callOperator(tx, batch, 'chain_unreachable')
    })
    throw error
  }
}

/** Looks up the outcome of a batch on chain, and records it. */
async function resolveBatch(deps: ResolveBatchDeps, work: BatchOfDataSet, signal: AbortSignal): Promise<void> {
  const { batch } = work
  const verdict = await judge(deps, work, signal)
  const isOver =
    verdict.kind === 'not_landed' ? isWithdrawn(batch) || batch.isReleased : verdict.kind === 'mismatch' && batch.items.length === 0
  // Copies that another attempt stores must not be added a second time by this one.
  if (isOver) return closeWithdrawn(deps, work, signal)
  switch (verdict.kind) {
    case 'landed':
      return confirm(deps, work, verdict.nextPieceId)
    case 'not_landed':
      return reopen(deps, work, verdict.isReportedFailed)
    case 'mismatch':
      await lookAgain(deps, batch, { code: 'result_mismatch' })
      if (batch.attentionCode === 'result_mismatch') return
      throw new PipelineFault(
        'submission_mismatch',
        `nonce of batch ${batch.id} was used for data set ${verdict.dataSetId}, not ${work.dataSet.chainId}`,
      )
    case 'undecided': {
      const { observe, needsAttention } = verdict.open
      return lookAgain(deps, batch, { observe, code: needsAttention ? await codeOf(deps, batch, verdict.isReported) : undefined })
    }
  }
}

async function judge(deps: ResolveBatchDeps, { dataSet, batch }: BatchOfDataSet, signal: AbortSignal): Promise<Verdict> {
  const { chain, clock, pace, reads, signer } = deps
  const { txHash } = batch
  let isReported = false
  return settleAttempt<NonceLanding, Verdict>({
    state: stateOfRow(batchStates, batch.state) ?? 'ready',
    now: clock.now,
    lookUp: async () => {
      const outcome = await reads.nonceOutcome(signer.address, batch.nonce)
      return outcome.landed ? { kind: 'landed', final: outcome } : { kind: 'open' }
    },
    evidence: {
      sentAtMs: batch.submitStartedAtMs,
      observedNonce: batch.senderNonce,
      limits: pace,
      isReportedFailed: async () => {
        const { chainId } = dataSet
        if (txHash === null || chainId === null) return false
        return isReportedFailed(deps, dataSet.serviceUrl, async (client) => {
          const status = await client.additionStatus({ dataSetId: chainId, txHash }, { signal })
          isReported = status.kind === 'ok'
          return status
        })
      },
      countSent: () => countSent(chain, dataSet.providerAddress),
    },
    settled: async ({ dataSetId, nextPieceId }) =>
      dataSetId === dataSet.chainId && nextPieceId !== undefined ? { kind: 'landed', nextPieceId } : { kind: 'mismatch', dataSetId },
    reopened: async (why) => ({ kind: 'not_landed', isReportedFailed: why.isReportedFailed }),
    undecided: async (open) => ({ kind: 'undecided', open, isReported }),
  })
}

async function reopen(
  { database, log, schedule, states }: ResolveBatchDeps,
  { dataSet, batch }: BatchOfDataSet,
  isReportedFailed: boolean,
): Promise<void> {
  log.warn('a submission did not reach the chain and is sent again with the same nonce', { batch: batch.id, dataSet: dataSet.id })
  await database.write(async (tx) => {
    await states.batches.apply(tx, 'reopened', batch.id, { message: 'the submission did not reach the chain' })
    await states.batches.dismissOperator(tx, batch)
    // A data set that takes no more pieces does not get it again: the next round ends its copies.
    if (!takesPieces(dataSet.state)) await schedule.commit(tx, dataSet.id)
  })
  await reopened()
  // A reverted transaction costs the provider gas: it counts as an attempt, unlike one that did not reach the chain.
  if (isReportedFailed) throw new PipelineFault('chain_reverted', `the addition of batch ${batch.id} was sent and failed on chain`)
}

async function confirm(deps: ResolveBatchDeps, { dataSet, batch }: BatchOfDataSet, nextPieceId: bigint): Promise<void> {
  const { database, log, states } = deps
  const pieceIds = pieceIdsOf(nextPieceId, batch.pieceCount || countMetadataLists(batch.extraData))
  const [firstPieceId] = pieceIds
  if (firstPieceId === undefined) throw new PipelineFault('submission_mismatch', `batch ${batch.id} has no pieces`)
  // Read after the nonce: later reads from a node behind this epoch are ignored.
  const { confirmed: epoch, finalized } = await readDepths(deps)
  const next = nextCheck(deps, { epoch, finalized, checks: 0 })
  await database.write((tx) => states.batches.land(tx, batch, { pieceIds, nextPieceId, epoch, next }))
  deps.progressed()
  await confirmed()
  log.info('pieces committed', { dataSet: dataSet.id, pieces: batch.items.length, firstPieceId: firstPieceId.toString() })
}

/** Why an operator is called for an undecided batch. */
async function codeOf({ chain }: ResolveBatchDeps, { txHash }: CommitBatch, isReported: boolean): Promise<AttentionCode> {
  const isOnNode = txHash === null ? undefined : await isTransactionKnown(chain, txHash)
  return codeOfUndecided({ txHash, isOnNode, isReported })
}

/** The batch is looked up again, and for the reason `code` an operator is called. */
async function lookAgain(
  { database, clock, pace, states }: ResolveBatchDeps,
  batch: CommitBatch,
  { observe, code }: { readonly observe?: number | undefined; readonly code: AttentionCode | undefined },
): Promise<void> {
  const nowMs = clock.now()
  await database.write(async (tx) => {
    let asked = batch
    if (batch.state === batchStates.recorded) {
      asked = await states.batches.dismissOperator(tx, batch)
      await states.batches.apply(tx, 'uncertain', batch.id, { message: 'the service stopped before the answer came' })
    }
    await postponeCheck(tx, batch.id, nowMs + nextCheckMs(pace, batch.checks), observe)
    if (code !== undefined) await states.batches.callOperator(tx, asked, code)
  })
}
