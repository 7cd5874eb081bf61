import { defineProbe } from '#kernel'
import type { DataSet } from '../datasets/data-set-store.ts'
import { type Pipeline, PipelineFault } from '../pipeline.ts'
import { judgeOutcome } from '../submissions/outcome-policy.ts'
import { countSent } from '../submissions/sender-nonces.ts'
import {
  countCheck,
  observeAttempt,
  type RemovalAttempt,
  raiseAttention,
  recordUncertain,
  reopenAttempt,
  startedRemovals,
} from './removal-store.ts'

const reopened = defineProbe('storage.remove.reopened')

/** After this, an operator decides about an unconfirmed removal. */
const unconfirmedMs = 24 * 3_600_000

interface AttemptOfTask {
  readonly dataSet: DataSet & { readonly chainId: bigint }
  readonly attempt: RemovalAttempt
  readonly taskId: number
}

/**
 * Decides about an attempt without effect on chain: it is reopened when every transaction that it could have caused is final, or when
 * the operator retried the task that failed because of it. Otherwise it stays open (I-05).
 */
export async function judgeAttempt(deps: Pipeline, { dataSet, attempt, taskId }: AttemptOfTask): Promise<void> {
  const { database, clock, pace, chain, log } = deps
  const nowMs = clock.now()
  if (attempt.attentionTaskId !== null) {
    const isRetried = attempt.attentionTaskId === taskId && !(await hasEffect(deps, dataSet, attempt))
    if (isRetried) await reopen(deps, attempt, 'requested again after 24 hours without a confirmation')
    return
  }
  const ageMs = nowMs - attempt.startedAtMs
  const verdict = judgeOutcome(
    {
      hasLanded: false,
      ageMs,
      totalAgeMs: ageMs,
      // Providers do not report the outcome of a removal.
      isReportedFailed: false,
      sender: await countSent(chain, dataSet.providerAddress),
      observedNonce: attempt.senderNonce,
    },
    pace,
  )
  if (verdict.kind === 'not_landed') {
    // Check again after the count: the removal may have become final in between.
    if (await hasEffect(deps, dataSet, attempt)) return
    log.warn('a removal did not reach the chain and is requested again', { attempt: attempt.id, dataSet: dataSet.id })
    await reopen(deps, attempt, 'the removal did not reach the chain')
    // The transaction reverted: fail the attempt, so that the task backs off.
    if (attempt.txHash !== null) throw new PipelineFault('removal_reverted', `transaction ${attempt.txHash} did not queue the removal`)
    return
  }
  await database.write((tx) => {
    recordUncertain(tx, attempt.id, { message: 'the service stopped before the answer came', nowMs })
    countCheck(tx, attempt.id)
    if (verdict.kind === 'observe') observeAttempt(tx, attempt.id, verdict.senderNonce)
    else if (ageMs >= unconfirmedMs) raiseAttention(tx, attempt.id, taskId)
  })
}

/** True when the chain shows an effect of the attempt, or does not answer for one of its pieces. */
async function hasEffect(
  { database, reads }: Pipeline,
  { id, chainId }: AttemptOfTask['dataSet'],
  attempt: RemovalAttempt,
): Promise<boolean> {
  const pieceIds = startedRemovals(database.read, id).flatMap(({ attemptId, pieceId }) => (attemptId === attempt.id ? pieceId : []))
  const [queued, states] = await Promise.all([
    reads.scheduledRemovals(chainId),
    Promise.all(pieceIds.map((pieceId) => reads.pieceState(chainId, pieceId))),
  ])
  return pieceIds.some((pieceId) => queued.includes(pieceId)) || states.some((state) => state !== 'live')
}

async function reopen({ database, clock }: Pipeline, attempt: RemovalAttempt, message: string): Promise<void> {
  await database.write((tx) => reopenAttempt(tx, attempt.id, { message, nowMs: clock.now() }))
  await reopened()
}
