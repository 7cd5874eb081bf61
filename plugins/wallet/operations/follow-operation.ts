/** One step of a wallet operation: its turn, its signature and transmission, or its look-up. */
import { defineProbe } from '#kernel'
import type { SignedTransaction } from '../chain/transactions.ts'
import { isChainUnreachable, type OperationKey, type OperationOutcome } from '../contract/services.ts'
import type { Operation, OperationEnd, OperationStore } from './operation-store.ts'
import { type Refusal, type SignDeps, signOperation } from './sign-operation.ts'
import { type FinalState, isAbsent, pollTransaction, sendTransaction } from './transaction-attempts.ts'
import type { HeldSlot, SlotAttempt, SlotOwner, WalletSlot } from './wallet-slot.ts'

const claimed = defineProbe('wallet.operation.claimed')
const signed = defineProbe('wallet.operation.signed')
const recorded = defineProbe('wallet.operation.recorded')
const sent = defineProbe('wallet.operation.sent')
const decided = defineProbe('wallet.operation.decided')

export interface OperationDeps extends SignDeps {
  readonly store: OperationStore
  readonly slot: WalletSlot
  readonly owner: SlotOwner
  /** Called after the transaction was recorded, before it is sent. */
  readonly announce?: (transaction: SignedTransaction) => void
}

interface Step extends OperationDeps {
  readonly held: HeldSlot
}

const open = (reason: 'confirmation' | 'wallet' | 'fee', message?: string): OperationOutcome => ({
  kind: 'open',
  reason,
  ...(message !== undefined && { message }),
})

export async function followOperation(deps: OperationDeps, key: OperationKey): Promise<OperationOutcome> {
  const found = await deps.store.find(key)
  const known = outcomeOf(found)
  if (known) return known
  using held = deps.slot.hold()
  if (!held) return open('confirmation')
  const step = { ...deps, held }
  await adopt(step, found)
  // The step that held the slot before, or the adoption, may have changed it.
  const operation = await deps.store.find(key)
  if (!operation || outcomeOf(operation)) return outcomeOf(operation) ?? { kind: 'unsent' }
  return operation.signed ? await settle(step, operation, operation.signed) : await start(step, operation)
}

/** Returns undefined when it is not final. */
function outcomeOf(operation: Operation | undefined): OperationOutcome | undefined {
  if (!operation) return { kind: 'unsent' }
  const { status, signed, lastError } = operation
  if (status === 'confirmed') return { kind: 'confirmed', hash: signed?.hash }
  if (status !== 'failed') return undefined
  return { kind: 'failed', code: 'wallet_operation_failed', message: lastError ?? status, isSent: signed !== null }
}

/** I-50: a transaction in the slot that is not decided is in the records too, so it is settled before another one is signed. */
async function adopt({ held, store, owner }: Step, known: Operation | undefined): Promise<void> {
  const attempt = held.read()
  if (!attempt || attempt.outcome || (known?.signed && attempt.owner === owner && isOf(attempt, known))) return
  const operation = await store.adopt(attempt)
  const outcome = outcomeOf(operation)
  // A stop between the two records of its end.
  if (outcome?.kind === 'confirmed') held.write({ ...attempt, outcome: 'confirmed' })
  else if (outcome?.kind === 'failed') held.write({ ...attempt, outcome: 'failed', error: outcome.message })
  else if (owner === 'service' && attempt.owner !== owner) held.write({ ...attempt, owner })
}

async function start(step: Step, operation: Operation): Promise<OperationOutcome> {
  const { store } = step
  // A later nonce cannot land before theirs.
  for (const earlier of await store.listOpen()) {
    const outcome = earlier.signed && (await settle(step, earlier, earlier.signed))
    if (outcome?.kind === 'open')
      return open('wallet', outcome.message ?? `transaction ${earlier.signed?.hash} of the wallet is not final yet`)
  }
  if (!(await store.claim(operation))) return open('wallet', 'another transaction of the wallet is not final yet')
  await claimed()
  let transaction: SignedTransaction | Refusal
  try {
    transaction = await signOperation(step, operation)
  } catch (error) {
    await store.release(operation)
    throw error
  }
  if (!('kind' in transaction)) return send(step, operation, { ...transaction, earlier: [] })
  if (transaction.kind === 'wait') {
    await store.release(operation)
    return open('fee', transaction.message)
  }
  if (transaction.kind === 'needless') return finish(step, operation, { status: 'confirmed' })
  return { ...(await finish(step, operation, { status: 'failed', error: transaction.message })), ...transaction, isSent: false }
}

const attemptOf = (
  { type, clientRequestId, amount, target }: Operation,
  transaction: SlotAttempt['signed'],
  owner: SlotOwner,
): SlotAttempt => ({ type, clientRequestId, amount, target, signed: transaction, owner })

async function send(step: Step, operation: Operation, transaction: SlotAttempt['signed']): Promise<OperationOutcome> {
  const { chain, signer, store, held, owner } = step
  const attempt = attemptOf(operation, transaction, owner)
  let outcome = open('confirmation')
  await sendTransaction(chain, transaction, {
    probes: { recorded, sent },
    record: async () => {
      held.write(attempt)
      await signed()
      const isRecorded = await store.recordSigned(operation, transaction)
      if (isRecorded) step.announce?.(transaction)
      // Nothing is sent for an operation that has ended or has other bytes.
      else held.write({ ...attempt, outcome: 'failed' })
      return isRecorded
    },
    // A retried request may be rejected after the first one was accepted, hence the look-up.
    notSent: async ({ cause }) => {
      if (!(await isAbsent(chain, { sender: signer.address, signed: transaction }))) return
      const error = `the node rejected it: ${cause.message}`
      outcome = await finish(step, { ...operation, signed: transaction }, { status: 'failed', error })
    },
  })
  return outcome
}

async function settle(step: Step, operation: Operation, transaction: SlotAttempt['signed']): Promise<OperationOutcome> {
  const { signer, store, held, owner, log } = step
  const sender = (operation.wallet ?? signer.address) as `0x${string}`
  const attempt = mirror(step, operation, transaction)
  const mayReplace = sender === signer.address && (owner === 'service' || attempt?.owner === owner)
  const polled = await pollTransaction(step, {
    sender,
    signed: transaction,
    recordReplacement: mayReplace
      ? async (next) => {
          if (!(await store.recordReplacement(operation, transaction, next))) return false
          if (attempt) held.write({ ...attempt, signed: { ...next, earlier: [...transaction.earlier, transaction.hash] } })
          return true
        }
      : undefined,
  })
  if (polled.kind === 'open') {
    if (!polled.isHidden) {
      if (operation.status === 'unknown') await store.doubt(operation, null)
      return open(polled.hold === undefined ? 'confirmation' : 'fee', polled.hold)
    }
    const message = `nonce ${transaction.nonce} of the wallet is used, and the chain node does not show by which transaction. Transaction ${transaction.hash} is looked up again. Check the node, or set another one in chain.rpc_url.`
    await store.doubt(operation, message)
    return open('confirmation', message)
  }
  await decided()
  const end = endOf(polled.final, transaction)
  log.info('wallet operation final', { type: operation.type, hash: transaction.hash, status: end.status })
  return finish(step, operation, end)
}

function endOf(final: FinalState, { hash, nonce }: SignedTransaction): OperationEnd {
  if (final.state === 'replaced')
    return {
      status: 'failed',
      error: `another transaction used its nonce (${nonce}): ${final.by}. Find the program that signs with the key of this wallet`,
    }
  return final.state === 'confirmed' ? { status: 'confirmed' } : { status: 'failed', error: `transaction ${hash} was reverted` }
}

/** The operation in the slot; written there when it is recorded by a version without slots, or the file was deleted. */
function mirror({ held, owner, signer }: Step, operation: Operation, transaction: SlotAttempt['signed']): SlotAttempt | undefined {
  const attempt = held.read()
  const isSame = isOf(attempt, operation)
  if (isSame && attempt.signed.hash === transaction.hash) return attempt
  // A command has no other record to write it from.
  if (owner === 'command') return undefined
  // The transaction of a key that the configuration had before is in the slot of that one.
  if ((attempt && !attempt.outcome && !isSame) || (operation.wallet ?? signer.address) !== signer.address) return undefined
  const mirrored = attemptOf(operation, transaction, owner)
  held.write(mirrored)
  return mirrored
}

const isOf = (attempt: SlotAttempt | undefined, { type, clientRequestId }: Operation): attempt is SlotAttempt =>
  attempt?.type === type && attempt.clientRequestId === clientRequestId

async function finish({ store, held }: Step, operation: Operation, end: OperationEnd): Promise<OperationOutcome> {
  await store.finish(operation, end)
  const attempt = held.read()
  if (isOf(attempt, operation)) held.write({ ...attempt, outcome: end.status, ...(end.error !== undefined && { error: end.error }) })
  return outcomeOf({ ...operation, status: end.status, lastError: end.error ?? null }) as OperationOutcome
}

/** A node that does not answer, or two that differ, say nothing about the outcome: the operation is open. */
export function keepOpen(error: unknown): OperationOutcome {
  if (!isChainUnreachable(error)) throw error
  return open('confirmation', error.message)
}
