import { type Clock, type Log, systemClock } from '#kernel'
import type { FeeLimits } from '../chain/fee-limits.ts'
import type { PlannedCall, SignedTransaction, TransactionState } from '../chain/transactions.ts'
import type { Chain, Signer } from '../contract.ts'
import { walletErrors } from '../errors.ts'
import type { Operation, OperationStore } from './operation-store.ts'

export interface OperationRunner {
  /** Signs, records, sends and waits until the outcome is final. */
  run(operation: Operation, call: PlannedCall): Promise<void>
  /**
   * Settles what an earlier process left open: looked up by hash and nonce first, and only when the chain knows nothing of it are
   * the very same bytes sent again. Rejects with `wallet_operation_undecided`, the operation still open, when no answer is final.
   */
  resume(operation: Operation): Promise<void>
}

export interface OperationDoors {
  readonly chain: Chain
  readonly signer: Signer
  readonly store: OperationStore
  readonly clock: Clock
  readonly log: Log
  readonly fees: FeeLimits
}

/** How many epochs an outcome may take before the caller is told that it is still open. */
const outcomeEpochsMax = 40
const looksPerEpoch = 4

export function createOperationRunner({ chain, signer, store, clock, log, fees }: OperationDoors): OperationRunner {
  const epochMs = chain.network.epochSeconds * 1000

  async function settle(operation: Operation, signed: SignedTransaction): Promise<void> {
    const state = await waitForOutcome(signed)
    if (state.state === 'confirmed') {
      await store.finish(operation.id, { status: 'confirmed', nowMs: clock.now() })
      log.info('wallet operation confirmed', { type: operation.type, hash: signed.hash })
      return
    }
    if (state.state === 'reverted') return fail(operation, `the transaction ${signed.hash} was reverted`)
    await store.finish(operation.id, {
      status: 'unknown',
      error: `another transaction took its nonce (${signed.nonce})`,
      nowMs: clock.now(),
    })
    throw walletErrors.wallet_operation_failed({
      message: `The ${operation.type} operation was replaced by another transaction of this wallet.`,
    })
  }

  async function waitForOutcome(signed: SignedTransaction): Promise<TransactionState> {
    const { broadcast, lookUp } = await import('../chain/transactions.ts')
    for (let look = 0; look < outcomeEpochsMax * looksPerEpoch; look++) {
      const state = await lookUp(chain, signer.address, signed)
      if (state.state !== 'pending' && state.state !== 'unknown') return state
      const sent = state.state === 'unknown' ? await broadcast(chain, signed.raw) : undefined
      // I-04: another node may hold the bytes that this one refuses, so only a used nonce proves that they came to nothing.
      if (sent?.kind === 'refused') {
        throw walletErrors.wallet_operation_undecided({
          message: `Transaction ${signed.hash} may have been sent before, and the node refuses it now (${sent.cause.message}). It stays open; see that the wallet can pay its fee, then try again.`,
        })
      }
      await systemClock.sleep(epochMs / looksPerEpoch)
    }
    throw walletErrors.wallet_operation_undecided({
      message: `Transaction ${signed.hash} is not final after ${outcomeEpochsMax} epochs; it is watched further.`,
    })
  }

  async function fail(operation: Operation, reason: string): Promise<never> {
    await store.finish(operation.id, { status: 'failed', error: reason, nowMs: clock.now() })
    throw walletErrors.wallet_operation_failed({ message: `The ${operation.type} operation failed: ${reason}.` })
  }

  async function sign(operation: Operation, call: PlannedCall): Promise<SignedTransaction> {
    const { signTransaction } = await import('../chain/transactions.ts')
    const { ChainAnswerImplausible, FeeAboveLimit } = await import('../chain/chain-error.ts')
    try {
      return await signTransaction({ chain, account: signer, call, limits: fees })
    } catch (error) {
      const refuse =
        error instanceof FeeAboveLimit
          ? walletErrors.fee_above_limit
          : error instanceof ChainAnswerImplausible
            ? walletErrors.chain_answer_implausible
            : undefined
      if (!refuse) throw error
      const { message } = error as Error
      await store.finish(operation.id, { status: 'failed', error: message, nowMs: clock.now() })
      throw refuse({ message })
    }
  }

  return {
    async run(operation, call) {
      const { broadcast, lookUp } = await import('../chain/transactions.ts')
      const signed = await sign(operation, call)
      // I-04: the exact bytes are durable before anybody sees them.
      await store.recordSigned(operation.id, signed, clock.now())
      const sent = await broadcast(chain, signed.raw)
      // A request that was repeated on the way may be refused after it was taken, hence the look.
      if (sent.kind === 'refused' && (await lookUp(chain, signer.address, signed)).state === 'unknown') {
        return fail(operation, `the node refused it: ${sent.cause.message}`)
      }
      await settle(operation, signed)
    },
    async resume(operation) {
      // Never signed: nothing can have been sent, and the wish is made anew by whoever still has it.
      if (operation.signed) await settle(operation, operation.signed)
      else await store.finish(operation.id, { status: 'failed', error: 'the service stopped before it was signed', nowMs: clock.now() })
    },
  }
}
