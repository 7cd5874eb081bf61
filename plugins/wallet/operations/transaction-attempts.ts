/** Paid attempts that the wallet sends itself: the bytes are found on chain by their hash and nonce. */
import { type Clock, systemClock } from '#kernel'
import type { SignedTransaction } from '../chain/transactions.ts'
import type { Chain, Signer } from '../contract.ts'
import { walletErrors } from '../errors.ts'
import { type SendPort, sendAttempt } from '../submissions/send-attempt.ts'
import { type LookUp, settleAttempt } from '../submissions/settle-attempt.ts'

/** `replaced`: another transaction used the nonce. */
export type FinalState = 'confirmed' | 'reverted' | 'replaced'

/** Answer of a node to the signed bytes. */
type Offered = { readonly kind: 'ok' | 'uncertain' } | { readonly kind: 'not_sent'; readonly cause: Error }

interface TransactionAttempts {
  lookUp(signed: SignedTransaction): Promise<LookUp<FinalState>>
  send(signed: SignedTransaction, port: Pick<SendPort<true, Offered, void>, 'record' | 'notSent' | 'probes'>): Promise<void>
  /** Looks the transaction up once; sends the same bytes again when no node knows them. Undefined: the outcome is not final. */
  poll(signed: SignedTransaction): Promise<FinalState | undefined>
  /**
   * Looks the transaction up until its outcome is final; sends the same bytes again whenever no node knows them. Rejects with
   * `wallet_operation_undecided` when the outcome stays open.
   */
  waitForFinal(signed: SignedTransaction): Promise<FinalState>
}

interface AttemptDeps {
  readonly chain: Chain
  readonly signer: Signer
  readonly clock: Clock
}

/** Epochs to wait for a final outcome. */
const outcomeEpochsMax = 40
const pollsPerEpoch = 4

export function createTransactionAttempts({ chain, signer, clock }: AttemptDeps): TransactionAttempts {
  const pollMs = (chain.network.epochSeconds * 1000) / pollsPerEpoch

  const attempts: TransactionAttempts = {
    async lookUp(signed) {
      const { lookUp } = await import('../chain/transactions.ts')
      const { state } = await lookUp(chain, signer.address, signed)
      if (state === 'unknown') return { kind: 'absent' }
      if (state === 'pending') return { kind: 'open' }
      return { kind: state === 'replaced' ? 'ended' : 'landed', final: state }
    },
    async send(signed, port) {
      const { broadcast } = await import('../chain/transactions.ts')
      await sendAttempt<true, Offered, void>({
        ...port,
        send: async () => {
          const sent = await broadcast(chain, signed.raw)
          if (sent.kind === 'refused') return { kind: 'not_sent', cause: sent.cause }
          return { kind: sent.kind === 'sent' ? 'ok' : 'uncertain' }
        },
        // The row keeps only that the bytes were recorded: a look-up by their hash tells the rest.
        answered: async () => {},
      })
    },
    poll: (signed) =>
      settleAttempt<FinalState, FinalState | undefined>({
        state: 'submitted',
        now: clock.now,
        lookUp: () => attempts.lookUp(signed),
        settled: async (state) => state,
        reopened: async () => void (await attempts.send(signed, resending(signed))),
        undecided: async () => undefined,
      }),
    async waitForFinal(signed) {
      for (let poll = 0; poll < outcomeEpochsMax * pollsPerEpoch; poll++) {
        const final = await attempts.poll(signed)
        if (final) return final
        await systemClock.sleep(pollMs)
      }
      throw walletErrors.wallet_operation_undecided({
        message: `Transaction ${signed.hash} is not final after ${outcomeEpochsMax} epochs. It stays open; try again later to look it up.`,
      })
    },
  }
  return attempts
}

const resending = ({ hash }: SignedTransaction): Pick<SendPort<true, Offered, void>, 'record' | 'notSent'> => ({
  // The bytes are recorded since they were first sent.
  record: async () => true,
  // I-04: another node may have accepted the bytes that this one rejects; only a used nonce proves that they can never land.
  notSent: async ({ cause }) => {
    throw walletErrors.wallet_operation_undecided({
      message: `Transaction ${hash} may have been sent before, and the node rejects it now (${cause.message}). It stays open. Make sure that the wallet can pay its fee, then try again.`,
    })
  },
})
