import { defineProbe } from '#kernel'
import { pieceIdsOf } from '../chain/nonce-policy.ts'
import { countSignedPieces } from '../chain/typed-data.ts'
import { nextCheck, readDepths } from '../finality/landing-checks.ts'
import { recordLanding } from '../finality/landing-store.ts'
import { rollBackBatch } from '../finality/roll-back.ts'
import { batchesAtPieces } from '../finality/roll-back-store.ts'
import { recountContent } from '../holdings/recount-content.ts'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, PipelineFault } from '../pipeline.ts'
import { judgeOutcome } from '../submissions/outcome-policy.ts'
import { countSent } from '../submissions/sender-nonces.ts'
import { clearAttention, requestAttention } from './attention.ts'
import { confirmBatch, forgetChecks, postponeCheck } from './batch-step-store.ts'
import { isWithdrawn, observeSubmission, recordUncertain, reopenSubmission } from './submission-store.ts'
import type { BatchOfDataSet } from './submit-batch.ts'
import { closeWithdrawn } from './withdraw-batch.ts'

const confirmed = defineProbe('storage.commit.confirmed')
const reopened = defineProbe('storage.commit.reopened')

/** Looks up the outcome of a batch on chain. Sends nothing: an undecided batch is looked up again later (I-05). */
export async function resolveBatch(deps: Pipeline, work: BatchOfDataSet, signal: AbortSignal): Promise<void> {
  const { database, clock, pace, chain, reads, signer } = deps
  const { dataSet, batch } = work
  const outcome = await reads.nonceOutcome(signer.address, batch.nonce)
  if (outcome.landed) return confirm(deps, work, outcome)
  const nowMs = clock.now()
  const hasFailed = await isReportedFailed(deps, work, signal)
  const sender = await countSent(chain, dataSet.providerAddress)
  // Read the nonce again after the count: the transaction may have become final in between.
  const latestOutcome = await reads.nonceOutcome(signer.address, batch.nonce)
  if (latestOutcome.landed) return confirm(deps, work, latestOutcome)
  const verdict = judgeOutcome(
    {
      hasLanded: false,
      ageMs: nowMs - (batch.submitStartedAtMs ?? nowMs),
      totalAgeMs: nowMs - (batch.firstSubmittedAtMs ?? nowMs),
      isReportedFailed: hasFailed,
      sender,
      observedNonce: batch.senderNonce,
    },
    pace,
  )
  if (verdict.kind === 'not_landed' && isWithdrawn(batch)) return closeWithdrawn(deps, work, signal)
  if (verdict.kind === 'not_landed') {
    deps.log.warn('a submission did not reach the chain and is sent again with the same nonce', { batch: batch.id, dataSet: dataSet.id })
    await database.write((tx) => {
      reopenSubmission(tx, batch.id, { message: 'the submission did not reach the chain', nowMs })
      forgetChecks(tx, batch.id)
    })
    await reopened()
    // A reverted transaction costs the provider gas: it counts as an attempt, unlike one that did not reach the chain.
    if (hasFailed) throw new PipelineFault('chain_reverted', `the addition of batch ${batch.id} was sent and failed on chain`)
    return
  }
  await database.write((tx) => {
    if (batch.state === 'submitting')
      recordUncertain(tx, batch.id, { message: 'the service stopped before the answer came', nextCheckAtMs: nowMs, nowMs })
    if (verdict.kind === 'observe') observeSubmission(tx, batch.id, verdict.senderNonce)
    postponeCheck(tx, batch.id, nowMs + nextCheckMs(pace, batch.checks))
    if (verdict.kind === 'undecided' && verdict.needsAttention)
      requestAttention(deps, tx, batch, batch.txHash === null ? 'attempt_only_ambiguous' : 'confirmation_timeout')
  })
}

async function confirm(
  deps: Pipeline,
  { dataSet, batch }: BatchOfDataSet,
  outcome: { readonly dataSetId: bigint; readonly nextPieceId?: bigint },
): Promise<void> {
  const { database, clock, pace, schedule, uploadEvents, funds } = deps
  if (outcome.dataSetId !== dataSet.chainId || outcome.nextPieceId === undefined) {
    throw new PipelineFault(
      'submission_mismatch',
      `nonce of batch ${batch.id} was used for data set ${outcome.dataSetId}, not ${dataSet.chainId}`,
    )
  }
  const { nextPieceId } = outcome
  const pieceIds = pieceIdsOf(nextPieceId, countSignedPieces(batch.extraData))
  const [firstPieceId] = pieceIds
  if (firstPieceId === undefined) throw new PipelineFault('submission_mismatch', `batch ${batch.id} has no pieces`)
  // Read after the nonce: later reads from a node behind this epoch are ignored.
  const depths = await readDepths(deps)
  await database.write((tx) => {
    // I-27: one copy per piece on chain. The current outcome replaces outcomes from before a reorganisation.
    for (const id of batchesAtPieces(tx, { dataSetId: dataSet.id, pieceIds }, batch.id)) {
      rollBackBatch(deps, tx, id, `the chain gave its piece ids to batch ${batch.id}`)
    }
    confirmBatch(tx, batch, firstPieceId, clock.now())
    const next = nextCheck(deps, { epoch: depths.confirmed, finalized: depths.finalized, checks: 0 })
    recordLanding(tx, batch.id, { nextPieceId, epoch: depths.confirmed, next })
    schedule.verifyLandings(tx, next.atMs)
    for (const { contentId } of batch.items) {
      uploadEvents.changed(tx, contentId)
      // The content was deleted meanwhile: remove the landed piece.
      for (const dataSetId of recountContent(deps, tx, contentId, clock.now()))
        schedule.cleanup(tx, dataSetId, clock.now() + pace.batchingWindowMs)
    }
    deps.cached.reconcileCapacity(tx)
    clearAttention(deps, tx, batch)
  })
  deps.progressed()
  await confirmed()
  funds.forget()
  deps.log.info('pieces committed', { dataSet: dataSet.id, pieces: batch.items.length, firstPieceId: firstPieceId.toString() })
}

async function isReportedFailed({ providers }: Pipeline, { dataSet, batch }: BatchOfDataSet, signal: AbortSignal): Promise<boolean> {
  if (batch.txHash === null || dataSet.chainId === null) return false
  using turn = providers.turns.take(dataSet.serviceUrl, 'mutation')
  // Without the provider's report the chain decides, only later.
  if (turn.refusal) return false
  const client = providers.client(dataSet.serviceUrl)
  const status = turn.record(await client.additionStatus({ dataSetId: dataSet.chainId, txHash: batch.txHash }, { signal }))
  return status.kind === 'ok' && status.value.state === 'failed'
}
