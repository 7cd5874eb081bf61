import { defineProbe } from '#kernel'
import { pieceIdsOf } from '../chain/nonce-policy.ts'
import { countSent } from '../chain/sender-nonces.ts'
import { countSignedPieces } from '../chain/typed-data.ts'
import { nextLook, readDepths } from '../finality/look.ts'
import { recordLanding } from '../finality/look-store.ts'
import { takeBackBatch } from '../finality/take-back.ts'
import { batchesAtPieces } from '../finality/take-back-store.ts'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, PipelineFault } from '../pipeline.ts'
import { callOperator, withdrawCalls } from './attention.ts'
import {
  confirmBatch,
  forgetChecks,
  isWithdrawn,
  observeSubmission,
  postponeCheck,
  recordUncertain,
  reopenSubmission,
} from './batch-store.ts'
import { recountContent } from './copy-store.ts'
import { judgeOutcome } from './outcome-policy.ts'
import type { BatchOfDataSet } from './submit-batch.ts'
import { giveBack } from './withdraw-batch.ts'

const confirmed = defineProbe('storage.commit.confirmed')
const reopened = defineProbe('storage.commit.reopened')

/** Asks the chain what became of a batch. Nothing is sent here: an undecided batch is looked up again later (I-05). */
export async function resolveBatch(doors: Pipeline, work: BatchOfDataSet, signal: AbortSignal): Promise<void> {
  const { database, clock, pace, chain, reads, signer } = doors
  const { dataSet, batch } = work
  const outcome = await reads.nonceOutcome(signer.address, batch.nonce)
  if (outcome.landed) return confirm(doors, work, outcome)
  const nowMs = clock.now()
  const hasFailed = await isReportedFailed(doors, work, signal)
  const sender = await countSent(chain, dataSet.providerAddress)
  // The nonce once more, after the count: a transaction that became final in between must not be taken for one that never was.
  const lastWord = await reads.nonceOutcome(signer.address, batch.nonce)
  if (lastWord.landed) return confirm(doors, work, lastWord)
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
  if (verdict.kind === 'not_landed' && isWithdrawn(batch)) return giveBack(doors, work, signal)
  if (verdict.kind === 'not_landed') {
    doors.log.warn('a submission did not reach the chain and is sent again with the same nonce', { batch: batch.id, dataSet: dataSet.id })
    await database.write((tx) => {
      reopenSubmission(tx, batch.id, { message: 'the submission did not reach the chain', nowMs })
      forgetChecks(tx, batch.id)
    })
    await reopened()
    // A transaction that reverts costs the provider each time: it is an attempt, unlike one that was lost on the way.
    if (hasFailed) throw new PipelineFault('chain_reverted', `the addition of batch ${batch.id} was sent and failed on chain`)
    return
  }
  await database.write((tx) => {
    if (batch.state === 'submitting')
      recordUncertain(tx, batch.id, { message: 'the service stopped before the answer came', nextCheckAtMs: nowMs, nowMs })
    if (verdict.kind === 'observe') observeSubmission(tx, batch.id, verdict.senderNonce)
    postponeCheck(tx, batch.id, nowMs + nextCheckMs(pace, batch.checks))
    if (verdict.kind === 'undecided' && verdict.needsAttention)
      callOperator(doors, tx, batch, batch.txHash === null ? 'attempt_only_ambiguous' : 'confirmation_timeout')
  })
}

async function confirm(
  doors: Pipeline,
  { dataSet, batch }: BatchOfDataSet,
  outcome: { readonly dataSetId: bigint; readonly nextPieceId?: bigint },
): Promise<void> {
  const { database, clock, pace, schedule, uploadEvents, funds } = doors
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
  // Read after the nonce, so that no node that is behind is believed later when it says that nothing landed.
  const depths = await readDepths(doors)
  await database.write((tx) => {
    // I-27: one copy per piece on chain. What the chain says now displaces what it said before a reorganisation.
    for (const id of batchesAtPieces(tx, { dataSetId: dataSet.id, pieceIds }, batch.id)) {
      takeBackBatch(doors, tx, id, `the chain gave its piece ids to batch ${batch.id}`)
    }
    confirmBatch(tx, batch, firstPieceId, clock.now())
    const next = nextLook(doors, { epoch: depths.confirmed, finalized: depths.finalized, looks: 0 })
    recordLanding(tx, batch.id, { nextPieceId, epoch: depths.confirmed, next })
    schedule.verifyLandings(tx, next.atMs)
    for (const { contentId } of batch.items) {
      uploadEvents.moved(tx, contentId)
      // The content was deleted while its copy was on the way: what landed is taken off again.
      for (const dataSetId of recountContent(tx, contentId, clock.now())) schedule.cleanup(tx, dataSetId, clock.now() + pace.lingerMs)
    }
    schedule.reconcileCapacity(tx)
    withdrawCalls(doors, tx, batch)
  })
  doors.progressed()
  await confirmed()
  funds.forget()
  doors.log.info('pieces committed', { dataSet: dataSet.id, pieces: batch.items.length, firstPieceId: firstPieceId.toString() })
}

async function isReportedFailed({ providers }: Pipeline, { dataSet, batch }: BatchOfDataSet, signal: AbortSignal): Promise<boolean> {
  if (batch.txHash === null || dataSet.chainId === null) return false
  using turn = providers.turns.take(dataSet.serviceUrl, 'mutation')
  // The chain decides without the provider's word, only later.
  if (turn.refusal) return false
  const client = providers.client(dataSet.serviceUrl)
  const status = turn.heard(await client.additionStatus({ dataSetId: dataSet.chainId, txHash: batch.txHash }, { signal }))
  return status.kind === 'ok' && status.value.state === 'failed'
}
