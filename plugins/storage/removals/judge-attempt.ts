import { defineProbe } from '#kernel'
import { countSent } from '../chain/sender-nonces.ts'
import { judgeOutcome } from '../copies/outcome-policy.ts'
import type { DataSet } from '../datasets/data-set-store.ts'
import { type Pipeline, PipelineFault } from '../pipeline.ts'
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

/** Unconfirmed for so long, a removal is an operator's to decide. */
const unconfirmedMs = 24 * 3_600_000

export interface AttemptOfTask {
  readonly dataSet: DataSet & { readonly chainId: bigint }
  readonly attempt: RemovalAttempt
  readonly taskId: number
}

/**
 * Decides about an attempt of which the chain shows nothing: it is asked for again when every transaction that could have come of it is
 * accounted for, or when the operator retried the task that failed because of it. Otherwise it stays open (I-05).
 */
export async function judgeAttempt(doors: Pipeline, { dataSet, attempt, taskId }: AttemptOfTask): Promise<void> {
  const { database, clock, pace, chain, log } = doors
  const nowMs = clock.now()
  if (attempt.attentionTaskId !== null) {
    const isRetried = attempt.attentionTaskId === taskId && !(await hasEffect(doors, dataSet, attempt))
    if (isRetried) await reopen(doors, attempt, 'asked for again after 24 hours without a confirmation')
    return
  }
  const ageMs = nowMs - attempt.startedAtMs
  const verdict = judgeOutcome(
    {
      hasLanded: false,
      ageMs,
      totalAgeMs: ageMs,
      // Providers do not tell how a removal went.
      isReportedFailed: false,
      sender: await countSent(chain, dataSet.providerAddress),
      observedNonce: attempt.senderNonce,
    },
    pace,
  )
  if (verdict.kind === 'not_landed') {
    // Looked up once more, after the count: a removal that became final in between was not lost.
    if (await hasEffect(doors, dataSet, attempt)) return
    log.warn('a removal did not reach the chain and is asked for again', { attempt: attempt.id, dataSet: dataSet.id })
    await reopen(doors, attempt, 'the removal did not reach the chain')
    // A transaction that was sent and changed nothing was reverted; the backoff keeps that from going on and on.
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

/** Does the chain show anything of the attempt, or not answer for its pieces? Only certain silence allows another request. */
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
