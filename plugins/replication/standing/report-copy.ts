import type { Database, Tx } from '#kernel'
import { isChainUnreachable } from '#plugins/wallet'
import type { CopyCheckResult } from '../contract.ts'
import type { Pipeline } from '../pipeline.ts'
import { addDoubt, type FailedResult, findDoubt, postponeCheck, recordFailure, removeDoubt } from './doubt-store.ts'
import { refill } from './refill.ts'
import { isConfirmed, isLost, nextCheckAtMs, unreachableMs } from './standing-policy.ts'

export type ReportCopyDeps = Pick<Pipeline, 'database' | 'clock' | 'log' | 'reads' | 'schedule' | 'states' | 'uploadEvents'>

/** A read failed: the copy is checked as a whole soon. Changes nothing else. */
export const suspectCopy = (database: Database, doubt: { copyId: number; result: FailedResult; nowMs: number }): Promise<void> =>
  database.write((tx) => addDoubt(tx, doubt))

/**
 * Records the check of a whole piece (I-53). A copy that failed repeatedly does not count as durable from then on, when the chain could be
 * asked about the piece; one that is intact counts at once. No copy is made because of a doubt, only when the piece is lost (`isLost`).
 */
export async function reportCopy(deps: ReportCopyDeps, copyId: number, result: CopyCheckResult): Promise<void> {
  const { database, clock } = deps
  if (result === 'intact') return database.write((tx) => trust(deps, tx, copyId))
  if (result === 'unreachable') return database.write((tx) => postponeCheck(tx, copyId, clock.now() + unreachableMs))
  const chainState = await confirm(deps, copyId)
  await database.write((tx) => doubt(deps, tx, { copyId, result, chainState }))
}

type ChainState = Awaited<ReturnType<Pipeline['reads']['pieceState']>>

/** What the chain says about the piece, when this failure denies the copy, or it is denied already. Null: not asked, or no answer. */
async function confirm({ database, clock, reads, log }: ReportCopyDeps, copyId: number): Promise<ChainState | null> {
  const known = await findDoubt(database.read, copyId)
  if (!known || known.chainId === null || known.pieceId === null) return null
  if (known.deniedAtMs === null && !isConfirmed(known, clock.now())) return null
  try {
    return await reads.pieceState(BigInt(known.chainId), BigInt(known.pieceId))
  } catch (error) {
    if (!isChainUnreachable(error)) throw error
    log.warn('a copy that failed its checks could not be looked up on chain', { copy: copyId, error })
    return null
  }
}

interface FailedCheck {
  readonly copyId: number
  readonly result: FailedResult
  readonly chainState: ChainState | null
}

async function doubt(deps: ReportCopyDeps, tx: Tx, { copyId, result, chainState }: FailedCheck): Promise<void> {
  const nowMs = deps.clock.now()
  await addDoubt(tx, { copyId, result, nowMs })
  const known = await findDoubt(tx, copyId)
  if (!known) return
  const isDenied = chainState !== null && isConfirmed(known, nowMs)
  const wasDenied = known.deniedAtMs !== null
  const checks = wasDenied ? known.checks + 1 : 0
  await recordFailure(tx, {
    copyId,
    result,
    failures: known.failures + 1,
    checks,
    firstFailedAtMs: known.firstFailedAtMs ?? nowMs,
    nextCheckAtMs: nextCheckAtMs({ isDenied: isDenied || wasDenied, checks, nowMs }),
    deniedAtMs: isDenied ? nowMs : known.deniedAtMs,
    chainState,
  })
  if (wasDenied && chainState !== null && isLost({ ...known, chainState }, nowMs)) await refill(deps, tx, copyId)
  if (!isDenied) return
  await count(deps, tx, known)
  tx.afterCommit(() => deps.log.warn('a copy does not count as durable', { copy: copyId, dataSet: known.dataSetId, result, chainState }))
}

async function trust(deps: ReportCopyDeps, tx: Tx, copyId: number): Promise<void> {
  const known = await findDoubt(tx, copyId)
  if (!known) return
  await removeDoubt(tx, copyId)
  if (known.deniedAtMs === null) return
  await count(deps, tx, known)
  tx.afterCommit(() => deps.log.info('a copy counts as durable again', { copy: copyId, dataSet: known.dataSetId }))
}

async function count(
  { states, uploadEvents }: ReportCopyDeps,
  tx: Tx,
  { contentId, dataSetId }: { readonly contentId: number; readonly dataSetId: number },
): Promise<void> {
  await states.copies.recount(tx, [contentId])
  uploadEvents.changed(tx, [contentId])
  await states.dataSets.announce(tx, dataSetId)
}
