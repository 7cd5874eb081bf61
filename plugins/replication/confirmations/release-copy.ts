/** @walk copies 18: lets another batch store a copy whose batch stays undecided */
import { isChainUnreachable } from '#plugins/wallet'
import { writePriced } from '../datasets/price-list-store.ts'
import { replicationErrors } from '../errors.ts'
import type { Pipeline } from '../pipeline.ts'
import { releaseItem } from '../states/released-item-store.ts'
import { attemptIdOf, type ConfirmationEntry, findEntry, lockEntry, makeCheckDue } from './confirmation-store.ts'

export type ReleaseCopyDeps = Pick<
  Pipeline,
  'clock' | 'database' | 'funds' | 'log' | 'pace' | 'providers' | 'reads' | 'schedule' | 'signer' | 'states'
>

/** Providers delete parked pieces that no addition claims, after two hours. Later the provider is asked whether it has the piece. */
const parkedMs = 90 * 60_000

interface Release {
  readonly copyId: number
  /** The attempt as the operator saw it. */
  readonly attemptId: string
  /** The operator accepts that the released attempt may still reach the chain, and be paid. */
  readonly isAcknowledged: boolean
}

/**
 * An operator lets another attempt store a copy. The chain is looked at once more just before, outside the transaction, and the entry is
 * checked again inside. The released attempt is never sent again and is looked up until it is decided: see `settleReleased`.
 * @throws replicationErrors storage_confirmation_…
 */
export async function releaseCopy(deps: ReleaseCopyDeps, { copyId, attemptId, isAcknowledged }: Release): Promise<void> {
  const entry = await findEntry(deps.database.read, copyId)
  if (!entry) throw replicationErrors.storage_confirmation_not_found()
  if (!isAcknowledged) throw replicationErrors.storage_confirmation_unacknowledged()
  if (!isAttempt(entry, attemptId)) throw replicationErrors.storage_confirmation_changed()
  const outcome = await lookUp(deps, entry)
  if (outcome === 'landed') {
    await checkNow(deps, entry)
    throw replicationErrors.storage_confirmation_landed()
  }
  if (outcome === 'open' && isBeingHandled(deps, entry)) throw replicationErrors.storage_confirmation_changed()
  await letGo(deps, entry, await isStored(deps, entry))
  deps.log.warn('an operator released a copy from its attempt; another attempt stores it', { copy: copyId, batch: entry.batchId })
}

/** An attempt that is being sent right now is refused: the look at the chain would be too early. */
const isAttempt = (entry: ConfirmationEntry, attemptId: string): boolean =>
  attemptIdOf(entry) === attemptId && entry.batchState !== 'submitting'

/**
 * The attempt was sent again a short time ago, and the provider may still be working on it. With a recorded nonce of the sender its
 * handling time is over.
 */
const isBeingHandled = ({ clock, pace }: ReleaseCopyDeps, { isReleased, submitStartedAtMs, senderNonce }: ConfirmationEntry): boolean =>
  !isReleased && submitStartedAtMs !== null && senderNonce === null && clock.now() - submitStartedAtMs < pace.handlingMs

/** `elsewhere`: the nonce was used for another data set and will never bring this copy. */
async function lookUp({ reads, signer }: ReleaseCopyDeps, { nonce, chainId }: ConfirmationEntry): Promise<'open' | 'landed' | 'elsewhere'> {
  try {
    const outcome = await reads.nonceOutcome(signer.address, nonce)
    if (!outcome.landed) return 'open'
    return outcome.dataSetId === chainId ? 'landed' : 'elsewhere'
  } catch (error) {
    if (!isChainUnreachable(error)) throw error
    throw replicationErrors.storage_confirmation_unchecked()
  }
}

async function checkNow({ database, clock, schedule }: ReleaseCopyDeps, { batchId, dataSetId }: ConfirmationEntry): Promise<void> {
  await database.write(async (tx) => {
    await makeCheckDue(tx, batchId, clock.now())
    await schedule.commit(tx, dataSetId)
  })
}

/** Counts the piece as stored without an answer: a provider without it refuses the next addition, and the bytes are stored again. */
async function isStored({ clock, providers }: ReleaseCopyDeps, { parkedAtMs, pieceCid, serviceUrl }: ConfirmationEntry): Promise<boolean> {
  if (pieceCid === null || (parkedAtMs !== null && clock.now() - parkedAtMs < parkedMs)) return true
  const answer = await providers.client(serviceUrl).findPiece(pieceCid)
  return answer.kind !== 'ok' || answer.value.isFound
}

async function letGo(deps: ReleaseCopyDeps, seen: ConfirmationEntry, isPieceStored: boolean): Promise<void> {
  const { clock, states } = deps
  const { copyId, batchId } = seen
  await writePriced(deps, async (tx, priceList) => {
    const entry = await lockEntry(tx, copyId)
    // Sent again since the look at the chain.
    const isSentAgain = entry?.isReleased === false && entry.submitStartedAtMs !== seen.submitStartedAtMs
    if (!entry || !isAttempt(entry, attemptIdOf(seen)) || isSentAgain) throw replicationErrors.storage_confirmation_changed()
    await releaseItem(tx, { copyId, batchId }, clock.now(), priceList)
    const why = { code: 'bytes_gone', message: 'the provider no longer has the piece' }
    await states.copies.apply(tx, isPieceStored ? 'released' : 'released_gone', { ids: [copyId], batchId }, why)
  })
}
