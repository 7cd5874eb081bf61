/** Paid attempts that the wallet sends itself: the bytes are found on chain by their hash and nonce. */
import { type Clock, defineProbe, type Log, systemClock } from '#kernel'
import type { FeeLimits } from '../chain/fee-limits.ts'
import type { SignedTransaction, TransactionState } from '../chain/transactions.ts'
import type { Chain, Signer } from '../contract.ts'
import { walletErrors } from '../errors.ts'
import { type SendPort, sendAttempt } from '../submissions/send-attempt.ts'
import { type LookUp, settleAttempt } from '../submissions/settle-attempt.ts'
import type { OperationStore } from './operation-store.ts'

const recorded = defineProbe('wallet.replacement.recorded')
const sent = defineProbe('wallet.replacement.sent')

/** `replaced`: another transaction, which is not recorded, used the nonce. */
export type FinalState = 'confirmed' | 'reverted' | 'replaced'

/** `hold`: why it cannot land now, with the next step. */
type Polled = { readonly kind: 'final'; readonly state: FinalState } | { readonly kind: 'open'; readonly hold?: string }

/** Answer of a node to the signed bytes. */
type Offered = { readonly kind: 'ok' | 'uncertain' } | { readonly kind: 'not_sent'; readonly cause: Error }

/** The newest transaction of an operation that has been recorded. */
interface OpenTransaction {
  /** Of the operation. */
  readonly id: number
  readonly signed: SignedTransaction
}

interface TransactionAttempts {
  lookUp(signed: SignedTransaction): Promise<LookUp<FinalState>>
  send(signed: SignedTransaction, port: Pick<SendPort<true, Offered, void>, 'record' | 'notSent' | 'probes'>): Promise<void>
  /**
   * Looks the transaction up once. Replaces it when its fee cap is below the base fee; sends the same bytes again when no node knows them.
   */
  poll(open: OpenTransaction): Promise<Polled>
  /** Polls until the outcome is final. Rejects with `wallet_operation_undecided` when it stays open. */
  waitForFinal(find: () => Promise<OpenTransaction>): Promise<FinalState>
}

interface AttemptDeps {
  readonly chain: Chain
  readonly signer: Signer
  readonly store: Pick<OperationStore, 'recordReplacement'>
  readonly clock: Clock
  readonly log: Log
  readonly fees: FeeLimits
}

/** Epochs to wait for a final outcome. */
const outcomeEpochsMax = 40
const pollsPerEpoch = 4
/** Transactions with the same nonce that are recorded for an operation: each costs at least a tenth more than the one before. */
const transactionsMax = 32

export function createTransactionAttempts(deps: AttemptDeps): TransactionAttempts {
  const { chain, signer, clock } = deps
  const pollMs = (chain.network.epochSeconds * 1000) / pollsPerEpoch

  const read = async (signed: SignedTransaction) => (await import('../chain/transactions.ts')).lookUp(chain, signer.address, signed)

  const attempts: TransactionAttempts = {
    lookUp: async (signed) => toLookUp(await read(signed)),
    send: async (signed, port) => void (await sendAttempt<true, Offered, void>({ ...port, ...transport(chain, signed) })),
    async poll(open) {
      // In a block, and not final yet: its fee was high enough.
      let isMined = false
      return settleAttempt<FinalState, Polled>({
        state: 'submitted',
        now: clock.now,
        async lookUp() {
          const found = await read(open.signed)
          isMined = found.state === 'pending' && found.epoch !== undefined
          return toLookUp(found)
        },
        settled: async (state) => ({ kind: 'final', state }),
        reopened: async () => (await replaceUnderpriced(deps, open)) ?? (await sendAgain(chain, open.signed)),
        undecided: async () => (isMined ? undefined : await replaceUnderpriced(deps, open)) ?? { kind: 'open' },
      })
    },
    async waitForFinal(find) {
      let open = await find()
      for (let poll = 0; poll < outcomeEpochsMax * pollsPerEpoch; poll++) {
        const polled = await attempts.poll(open)
        if (polled.kind === 'final') return polled.state
        if (polled.hold !== undefined) throw walletErrors.wallet_operation_undecided({ message: polled.hold })
        await systemClock.sleep(pollMs)
        open = await find()
      }
      throw walletErrors.wallet_operation_undecided({
        message: `Transaction ${open.signed.hash} is not final after ${outcomeEpochsMax} epochs. It stays open; try again later to look it up.`,
      })
    },
  }
  return attempts
}

function toLookUp({ state }: TransactionState): LookUp<FinalState> {
  if (state === 'unknown') return { kind: 'absent' }
  if (state === 'pending') return { kind: 'open' }
  return { kind: state === 'replaced' ? 'ended' : 'landed', final: state }
}

/** The row keeps only that the bytes were recorded: a look-up by their hash tells the rest. */
const transport = (chain: Chain, { raw }: SignedTransaction): Pick<SendPort<true, Offered, void>, 'send' | 'answered'> => ({
  async send() {
    const { broadcast } = await import('../chain/transactions.ts')
    const answer = await broadcast(chain, raw)
    if (answer.kind === 'refused') return { kind: 'not_sent', cause: answer.cause }
    return { kind: answer.kind === 'sent' ? 'ok' : 'uncertain' }
  },
  answered: async () => {},
})

/**
 * I-44: the fee cap of the transaction is below the base fee, so no block can include it, nor any transaction with a later nonce of the
 * wallet. It is replaced by one with the same nonce, of which the chain takes at most one. Undefined, with nothing sent, while its cap is
 * high enough.
 */
async function replaceUnderpriced(deps: AttemptDeps, { id, signed }: OpenTransaction): Promise<Polled | undefined> {
  const { chain, signer, store, clock, log, fees } = deps
  const { signReplacement } = await import('../chain/replacement.ts')
  const { FeeAboveLimit } = await import('../chain/chain-error.ts')
  const blocked = `Transaction ${signed.hash} with nonce ${signed.nonce} pays less than the base fee, and later transactions of the wallet wait for it.`
  try {
    const next = await signReplacement({ chain, account: signer, signed, limits: fees })
    if (next === undefined) return undefined
    if ((signed.earlier?.length ?? 0) + 1 >= transactionsMax)
      return { kind: 'open', hold: `${blocked} It was replaced ${transactionsMax - 1} times; svc replaces it no more.` }
    await sendAttempt<true, Offered, void>({
      ...transport(chain, next),
      probes: { recorded, sent },
      record: () => store.recordReplacement(id, signed, next, clock.now()),
      // The earlier transaction may still land, and the next poll looks both up.
      notSent: async ({ cause }) => log.warn('a node rejected the replacement of a wallet transaction', { hash: next.hash, error: cause }),
    })
    log.warn('a wallet transaction below the base fee was replaced', { nonce: signed.nonce, from: signed.hash, to: next.hash })
    return { kind: 'open' }
  } catch (error) {
    if (!(error instanceof FeeAboveLimit)) throw error
    return { kind: 'open', hold: `${blocked} ${error.message}` }
  }
}

/** Sends the recorded bytes again. I-04: another node may have accepted what this one rejects; only a used nonce proves that they cannot land. */
async function sendAgain(chain: Chain, signed: SignedTransaction): Promise<Polled> {
  let hold: string | undefined
  await sendAttempt<true, Offered, void>({
    ...transport(chain, signed),
    // The bytes are recorded since they were first sent.
    record: async () => true,
    notSent: async ({ cause }) => {
      hold = `Transaction ${signed.hash} may have been sent before, and the node rejects it now (${cause.message}). It stays open. Make sure that the wallet can pay its fee, then try again.`
    },
  })
  return { kind: 'open', ...(hold !== undefined && { hold }) }
}
