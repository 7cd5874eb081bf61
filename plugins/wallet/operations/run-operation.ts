import type { Clock, Log } from '#kernel'
import type { FeeLimits } from '../chain/fee-limits.ts'
import type { PlannedCall, SignedTransaction } from '../chain/transactions.ts'
import type { Chain, Signer } from '../contract.ts'
import { walletErrors } from '../errors.ts'
import { type Operation, type OperationStore, unsignedMessage } from './operation-store.ts'
import { createTransactionAttempts } from './transaction-attempts.ts'

export interface OperationRunner {
  /** Signs, stores and sends the transaction, then waits for its final outcome. */
  run(operation: Operation, call: PlannedCall): Promise<void>
  /**
   * Settles an operation that an earlier process left open: looks it up by hash and nonce, replaces it when its fee is too low, and sends
   * the same bytes again only if the chain does not know them. Rejects with `wallet_operation_undecided` when the outcome is not final; the operation stays open.
   */
  resume(operation: Operation): Promise<void>
}

interface OperationRunnerDeps {
  readonly chain: Chain
  readonly signer: Signer
  readonly store: OperationStore
  readonly clock: Clock
  readonly log: Log
  readonly fees: FeeLimits
}

export function createOperationRunner({ chain, signer, store, clock, log, fees }: OperationRunnerDeps): OperationRunner {
  const attempts = createTransactionAttempts({ chain, signer, store, clock, log, fees })

  async function settle(operation: Operation, signed: SignedTransaction): Promise<void> {
    // Another transaction may have replaced the first one.
    const state = await attempts.waitForFinal(async () => ({
      id: operation.id,
      signed: (await store.find(operation.type, operation.clientRequestId))?.signed ?? signed,
    }))
    if (state === 'confirmed') {
      await store.finish(operation.id, { status: 'confirmed', nowMs: clock.now() })
      log.info('wallet operation confirmed', { type: operation.type, hash: signed.hash })
      return
    }
    if (state === 'reverted') return fail(operation, `transaction ${signed.hash} was reverted`)
    await store.finish(operation.id, {
      status: 'unknown',
      error: `another transaction used its nonce (${signed.nonce})`,
      nowMs: clock.now(),
    })
    throw walletErrors.wallet_operation_failed({
      message: `The ${operation.type} operation was replaced by another transaction of this wallet.`,
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
      const toError =
        error instanceof FeeAboveLimit
          ? walletErrors.fee_above_limit
          : error instanceof ChainAnswerImplausible
            ? walletErrors.chain_answer_implausible
            : undefined
      if (!toError) throw error
      const { message } = error as Error
      await store.finish(operation.id, { status: 'failed', error: message, nowMs: clock.now() })
      throw toError({ message })
    }
  }

  return {
    async run(operation, call) {
      const signed = await sign(operation, call)
      await attempts.send(signed, {
        record: async () => {
          if (await store.recordSigned(operation.id, signed, clock.now())) return true
          throw walletErrors.wallet_operation_failed({
            message: `The ${operation.type} operation was ended by another request before its transaction was recorded; nothing was sent. Try again.`,
          })
        },
        // A retried request may be rejected after the first one was accepted, hence the look-up.
        notSent: async ({ cause }) => {
          if ((await attempts.lookUp(signed)).kind === 'absent') await fail(operation, `the node rejected it: ${cause.message}`)
        },
      })
      await settle(operation, signed)
    },
    async resume(operation) {
      // Never signed, so nothing was sent: the caller may request it again.
      if (operation.signed) await settle(operation, operation.signed)
      else await store.finish(operation.id, { status: 'failed', error: unsignedMessage, nowMs: clock.now() })
    },
  }
}
