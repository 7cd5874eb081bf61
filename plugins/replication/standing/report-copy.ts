import type { Tx } from '#kernel'
import { isChainUnreachable } from '#plugins/wallet'
import type { CopyCheckResult } from '../contract.ts'
import type { Pipeline } from '../pipeline.ts'
import { addDoubt, type FailedResult, findDoubt, postponeCheck, recordFailure, removeDoubt } from './doubt-store.ts'
import { refill } from './refill.ts'
import { isConfirmed, isLost, nextCheckAtMs, unreachableMs } from './standing-policy.ts'

type CountDeps = Pick<Pipeline, 'states' | 'uploadEvents'>
type SuspectDeps = CountDeps & Pick<Pipeline, 'database' | 'clock' | 'log'>
export type ReportCopyDeps = SuspectDeps & Pick<Pipeline, 'reads' | 'schedule'>

interface Denial {
  readonly copyId: number
  readonly result: FailedResult
}

/** The provider denied a read (I-53): the copy does not count as durable from now on, and its whole piece is checked soon. */
export const suspectCopy = (deps: SuspectDeps, denial: Denial): Promise<void> => deps.database.write((tx) => beginDoubt(deps, tx, denial))

/**
 * Records the check of a whole piece (I-53). A copy that failed one does not count as durable; when it fails repeatedly, and the chain
 * could be asked about the piece, it is denied. One that is intact counts at once. No copy is made because of a doubt, only when the piece
 * is lost (`isLost`).
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

/** Changes nothing for a copy that is in doubt already. */
async function beginDoubt(deps: SuspectDeps, tx: Tx, denial: Denial): Promise<void> {
  if (!(await addDoubt(tx, { ...denial, nowMs: deps.clock.now() }))) return
  const known = await findDoubt(tx, denial.copyId)
  if (!known) return
  await count(deps, tx, known)
  tx.afterCommit(() => deps.log.warn('a copy does not count as durable', { ...denial, dataSet: known.dataSetId }))
}

async function doubt(deps: ReportCopyDeps, tx: Tx, failed: Denial & { readonly chainState: ChainState | null }): Promise<void> {
  const { copyId, result, chainState } = failed
  const nowMs = deps.clock.now()
  await beginDoubt(deps, tx, { copyId, result })
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
    nextCheckAtMs: nextCheckAtMs({ isDenied: isDenied || wasDenied, result, checks, nowMs }),
    deniedAtMs: isDenied ? nowMs : known.deniedAtMs,
    chainState,
  })
  if (wasDenied && chainState !== null && isLost({ ...known, chainState }, nowMs)) await refill(deps, tx, copyId)
  if (!isDenied) return
  await deps.states.dataSets.announce(tx, known.dataSetId)
  tx.afterCommit(() => deps.log.warn('a copy is denied', { copyId, result, dataSet: known.dataSetId, chainState }))
}

async function trust(deps: ReportCopyDeps, tx: Tx, copyId: number): Promise<void> {
  const known = await findDoubt(tx, copyId)
  if (!known) return
  await removeDoubt(tx, copyId)
  await count(deps, tx, known)
  tx.afterCommit(() => deps.log.info('a copy counts as durable again', { copy: copyId, dataSet: known.dataSetId }))
}

async function count(
  { states, uploadEvents }: CountDeps,
  tx: Tx,
  { contentId, dataSetId }: { readonly contentId: number; readonly dataSetId: number },
): Promise<void> {
  await states.copies.recount(tx, [contentId])
  uploadEvents.changed(tx, [contentId])
  await states.dataSets.announce(tx, dataSetId)
}
