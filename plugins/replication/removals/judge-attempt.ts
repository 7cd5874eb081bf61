/** @walk removal 10: looks up a request whose effect is unknown */
import { defineProbe } from '#kernel'
import { type ReopenCause, settleAttempt } from '#plugins/wallet'
import type { DataSet } from '../datasets/data-set-store.ts'
import { type Pipeline, PipelineFault } from '../pipeline.ts'
import { countSent } from '../submissions/sender-nonces.ts'
import { countCheck, observeAttempt, type RemovalAttempt, raiseAttention, recordUncertain, reopenAttempt } from './attempt-store.ts'
import { startedRemovals } from './removal-store.ts'

type JudgeAttemptDeps = Pick<Pipeline, 'database' | 'clock' | 'log' | 'chain' | 'reads' | 'pace'>

const reopened = defineProbe('storage.remove.reopened')

/** After this, an operator decides about an unconfirmed removal. */
const unconfirmedMs = 24 * 3_600_000

interface AttemptOfTask {
  readonly dataSet: DataSet & { readonly chainId: bigint }
  readonly attempt: RemovalAttempt
  readonly taskId: number
}

/**
 * Decides about an attempt that had no effect on chain when the round began: it is reopened when every transaction that it could have
 * caused is final, or when the operator retried the task that failed because of it. Otherwise it stays open (I-05).
 */
export async function judgeAttempt(deps: JudgeAttemptDeps, { dataSet, attempt, taskId }: AttemptOfTask): Promise<void> {
  const { database, clock, pace, chain } = deps
  const { attentionTaskId, startedAtMs } = attempt
  if (attentionTaskId !== null && attentionTaskId !== taskId) return
  await settleAttempt<undefined, void>({
    state: attempt.txHash === null ? 'recorded' : 'submitted',
    now: clock.now,
    isAccepted: attentionTaskId !== null,
    lookUp: async (round) => {
      // The round has just looked up the pieces of all attempts.
      const isEffective = round === 'again' && (await hasEffect(deps, dataSet, attempt))
      return isEffective ? { kind: 'landed', final: undefined } : { kind: 'open' }
    },
    evidence: {
      sentAtMs: startedAtMs,
      observedNonce: attempt.senderNonce,
      limits: { handlingMs: pace.handlingMs, attentionMs: unconfirmedMs },
      // Providers do not report the outcome of a removal.
      countSent: () => countSent(chain, dataSet.providerAddress),
    },
    // The next round records what happened to each piece.
    settled: async () => {},
    reopened: (why) => reopen(deps, { dataSet, attempt }, why.cause),
    undecided: async ({ nowMs, observe, needsAttention }) => {
      await database.write(async (tx) => {
        await recordUncertain(tx, attempt.id, { message: 'the service stopped before the answer came', nowMs })
        await countCheck(tx, attempt.id)
        if (observe !== undefined) await observeAttempt(tx, attempt.id, observe)
        if (needsAttention) await raiseAttention(tx, attempt.id, taskId)
      })
    },
  })
}

/** True when the chain shows an effect of the attempt, or does not answer for one of its pieces. */
async function hasEffect(
  { database, reads }: Pick<Pipeline, 'database' | 'reads'>,
  { id, chainId }: AttemptOfTask['dataSet'],
  attempt: RemovalAttempt,
): Promise<boolean> {
  const pieceIds = (await startedRemovals(database.read, id)).flatMap(({ attemptId, pieceId }) => (attemptId === attempt.id ? pieceId : []))
  const [queued, states] = await Promise.all([
    reads.scheduledRemovals(chainId),
    Promise.all(pieceIds.map((pieceId) => reads.pieceState(chainId, pieceId))),
  ])
  return pieceIds.some((pieceId) => queued.includes(pieceId)) || states.some((state) => state !== 'live')
}

async function reopen(
  { database, clock, log }: Pick<Pipeline, 'database' | 'clock' | 'log'>,
  { dataSet, attempt }: Pick<AttemptOfTask, 'dataSet' | 'attempt'>,
  cause: ReopenCause,
): Promise<void> {
  const isAccepted = cause === 'operator'
  if (!isAccepted) log.warn('a removal did not reach the chain and is requested again', { attempt: attempt.id, dataSet: dataSet.id })
  const message = isAccepted ? 'requested again after 24 hours without a confirmation' : 'the removal did not reach the chain'
  await database.write((tx) => reopenAttempt(tx, attempt.id, { message, nowMs: clock.now() }))
  await reopened()
  // The transaction reverted: fail the attempt, so that the task backs off.
  if (!isAccepted && attempt.txHash !== null)
    throw new PipelineFault('removal_reverted', `transaction ${attempt.txHash} did not queue the removal`)
}
