/** @walk copies 13: confirms the copies of a batch that landed */
import { defineProbe } from '#kernel'
import { settleAttempt, stateOfRow, type Undecided } from '#plugins/wallet'
import { isTransactionKnown } from '../../chain/find-transaction.ts'
import { pieceIdsOf } from '../../chain/nonce-policy.ts'
import { countMetadataLists } from '../../chain/typed-data.ts'
import { nextCheck, readDepths } from '../../finality/landing-checks.ts'
import { recordLanding } from '../../finality/landing-store.ts'
import { rollBackBatch } from '../../finality/roll-back.ts'
import { batchesAtPieces } from '../../finality/roll-back-store.ts'
import { recountContents } from '../../holdings/recount-contents.ts'
import { nextCheckMs } from '../../pace.ts'
import { type Pipeline, PipelineFault } from '../../pipeline.ts'
import { codeOfUndecided } from '../../submissions/attention-policy.ts'
import { isReportedFailed } from '../../submissions/provider-report.ts'
import { batchStates } from '../../submissions/row-states-policy.ts'
import { countSent } from '../../submissions/sender-nonces.ts'
import { clearAttention, endAttention, requestAttention } from '../records/attention.ts'
import { confirmBatch, forgetChecks, postponeCheck } from '../records/batch-step-store.ts'
import { type BatchOfDataSet, contentIdsOf } from '../records/batch-store.ts'
import { settleReleased } from './settle-released.ts'
import { isWithdrawn, observeSubmission, recordUncertain, reopenSubmission } from './submission-store.ts'
import { closeWithdrawn, type WithdrawBatchDeps } from './withdraw-batch.ts'

export type ResolveBatchDeps = WithdrawBatchDeps & Pick<Pipeline, 'chain' | 'reads' | 'signer' | 'funds' | 'progressed'>

const confirmed = defineProbe('storage.commit.confirmed')
const reopened = defineProbe('storage.commit.reopened')

/** Looks up the outcome of a batch on chain. */
export async function resolveBatch(deps: ResolveBatchDeps, work: BatchOfDataSet, signal: AbortSignal): Promise<void> {
  const { chain, clock, pace, reads, signer } = deps
  const { dataSet, batch } = work
  const { txHash } = batch
  let isReported = false
  await settleAttempt<NonceLanding, void>({
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
    settled: (outcome) => (isOurs(work, outcome) ? confirm(deps, work, outcome) : handleMismatch(deps, work, { outcome, signal })),
    // Copies that another attempt stores must not be added a second time by this one.
    reopened: (why) => (isWithdrawn(batch) || batch.isReleased ? closeWithdrawn(deps, work, signal) : reopen(deps, work, why)),
    undecided: (open) => postpone(deps, work, { open, isReported }),
  })
}

interface NonceLanding {
  readonly dataSetId: bigint
  readonly nextPieceId?: bigint
}

type OurLanding = Required<NonceLanding>

const isOurs = ({ dataSet }: BatchOfDataSet, landing: NonceLanding): landing is OurLanding =>
  landing.dataSetId === dataSet.chainId && landing.nextPieceId !== undefined

/** The nonce is used, so the batch can never land: an operator decides about its copies, and without any it ends. */
async function handleMismatch(
  deps: ResolveBatchDeps,
  work: BatchOfDataSet,
  { outcome, signal }: { readonly outcome: NonceLanding; readonly signal: AbortSignal },
): Promise<void> {
  const { database, clock, pace } = deps
  const { dataSet, batch } = work
  if (batch.items.length === 0) return closeWithdrawn(deps, work, signal)
  await database.write(async (tx) => {
    await postponeCheck(tx, batch.id, clock.now() + nextCheckMs(pace, batch.checks))
    await requestAttention(deps, tx, batch, 'result_mismatch')
  })
  if (batch.attentionCode === 'result_mismatch') return
  throw new PipelineFault(
    'submission_mismatch',
    `nonce of batch ${batch.id} was used for data set ${outcome.dataSetId}, not ${dataSet.chainId}`,
  )
}

async function reopen(
  deps: ResolveBatchDeps,
  { dataSet, batch }: BatchOfDataSet,
  { isReportedFailed, nowMs }: { readonly isReportedFailed: boolean; readonly nowMs: number },
): Promise<void> {
  const { database, log } = deps
  log.warn('a submission did not reach the chain and is sent again with the same nonce', { batch: batch.id, dataSet: dataSet.id })
  await database.write(async (tx) => {
    await reopenSubmission(tx, batch.id, { message: 'the submission did not reach the chain', nowMs })
    await forgetChecks(tx, batch.id)
    await endAttention(deps, tx, batch)
  })
  await reopened()
  // A reverted transaction costs the provider gas: it counts as an attempt, unlike one that did not reach the chain.
  if (isReportedFailed) throw new PipelineFault('chain_reverted', `the addition of batch ${batch.id} was sent and failed on chain`)
}

async function postpone(
  deps: ResolveBatchDeps,
  { batch }: BatchOfDataSet,
  { open, isReported }: { readonly open: Undecided; readonly isReported: boolean },
): Promise<void> {
  const { nowMs, observe, needsAttention } = open
  const { txHash } = batch
  const isOnNode = needsAttention && txHash !== null ? await isTransactionKnown(deps.chain, txHash) : undefined
  await deps.database.write(async (tx) => {
    let asked = batch
    if (batch.state === batchStates.recorded) {
      asked = await endAttention(deps, tx, batch)
      await recordUncertain(tx, batch.id, { message: 'the service stopped before the answer came', nextCheckAtMs: nowMs, nowMs })
    }
    if (observe !== undefined) await observeSubmission(tx, batch.id, observe)
    await postponeCheck(tx, batch.id, nowMs + nextCheckMs(deps.pace, batch.checks))
    if (needsAttention) await requestAttention(deps, tx, asked, codeOfUndecided({ txHash, isOnNode, isReported }))
  })
}

async function confirm(deps: ResolveBatchDeps, { dataSet, batch }: BatchOfDataSet, { nextPieceId }: OurLanding): Promise<void> {
  const { database, clock, pace, schedule, uploadEvents, funds } = deps
  const pieceIds = pieceIdsOf(nextPieceId, batch.pieceCount || countMetadataLists(batch.extraData))
  const [firstPieceId] = pieceIds
  if (firstPieceId === undefined) throw new PipelineFault('submission_mismatch', `batch ${batch.id} has no pieces`)
  // Read after the nonce: later reads from a node behind this epoch are ignored.
  const depths = await readDepths(deps)
  await database.write(async (tx) => {
    // I-27: one copy per piece on chain. The current outcome replaces outcomes from before a reorganisation.
    for (const id of await batchesAtPieces(tx, { dataSetId: dataSet.id, pieceIds }, batch.id)) {
      await rollBackBatch(deps, tx, id, `the chain gave its piece ids to batch ${batch.id}`)
    }
    await confirmBatch(tx, batch.id, firstPieceId, clock.now())
    const next = nextCheck(deps, { epoch: depths.confirmed, finalized: depths.finalized, checks: 0 })
    await recordLanding(tx, batch.id, { nextPieceId, epoch: depths.confirmed, next })
    await settleReleased(deps, tx, { dataSet, batchId: batch.id, pieceIds })
    await schedule.verifyLandings(tx, next.atMs)
    const contentIds = contentIdsOf(batch)
    uploadEvents.changed(tx, contentIds)
    // The landed pieces of contents that were deleted after the submission are removed.
    for (const dataSetId of await recountContents(deps, tx, contentIds, clock.now()))
      await schedule.cleanup(tx, dataSetId, clock.now() + pace.batchingWindowMs)
    await deps.cached.reconcileCapacity(tx)
    clearAttention(deps, tx, batch)
  })
  deps.progressed()
  await confirmed()
  funds.forget()
  deps.log.info('pieces committed', { dataSet: dataSet.id, pieces: batch.items.length, firstPieceId: firstPieceId.toString() })
}
