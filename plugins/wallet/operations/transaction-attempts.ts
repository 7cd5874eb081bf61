/** Paid attempts that the wallet sends itself: the bytes are found on chain by their hash and nonce. */
import { type Clock, defineProbe, type Log } from '#kernel'
import type { FeeLimits } from '../chain/fee-limits.ts'
import type { SignedTransaction, TransactionState } from '../chain/transactions.ts'
import type { Chain, Signer } from '../contract.ts'
import { type SendPort, sendAttempt } from '../submissions/send-attempt.ts'
import { type LookUp, settleAttempt } from '../submissions/settle-attempt.ts'

const recorded = defineProbe('wallet.replacement.recorded')
const sent = defineProbe('wallet.replacement.sent')

export type FinalState = Extract<TransactionState, { readonly state: 'confirmed' | 'reverted' | 'replaced' }>

/** `hold`: why it cannot land now, with the next step. `hidden`: the nonce is used, and the node does not show by which transaction. */
type Polled =
  | { readonly kind: 'final'; readonly final: FinalState }
  | { readonly kind: 'open'; readonly hold?: string; readonly isHidden?: boolean }

/** Answer of a node to the signed bytes. */
type Offered = { readonly kind: 'ok' | 'uncertain' } | { readonly kind: 'not_sent'; readonly cause: Error }

export interface AttemptDeps {
  readonly chain: Chain
  readonly signer: Signer
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly fees: FeeLimits
}

interface OpenTransaction {
  readonly sender: `0x${string}`
  readonly signed: SignedTransaction
  /** Commits the transaction that replaces it. False: do not send that one. Undefined: this process must not replace it. */
  readonly recordReplacement: ((next: SignedTransaction) => Promise<boolean>) | undefined
}

/** Transactions with the same nonce that are recorded for an operation: each costs at least a tenth more than the one before. */
const transactionsMax = 32

const read = async (chain: Chain, { sender, signed }: Pick<OpenTransaction, 'sender' | 'signed'>) =>
  (await import('../chain/transactions.ts')).lookUp(chain, sender, signed)

/** Whether no node knows the transaction, and its nonce is unused. */
export async function isAbsent(chain: Chain, open: Pick<OpenTransaction, 'sender' | 'signed'>): Promise<boolean> {
  return (await read(chain, open)).state === 'unknown'
}

export async function sendTransaction(
  chain: Chain,
  signed: SignedTransaction,
  port: Pick<SendPort<true, Offered, void>, 'record' | 'notSent' | 'probes'>,
): Promise<void> {
  await sendAttempt<true, Offered, void>({
    ...port,
    async send() {
      const { broadcast } = await import('../chain/transactions.ts')
      const answer = await broadcast(chain, signed.raw)
      if (answer.kind === 'refused') return { kind: 'not_sent', cause: answer.cause }
      return { kind: answer.kind === 'sent' ? 'ok' : 'uncertain' }
    },
    // The row keeps only that the bytes were recorded: a look-up by their hash tells the rest.
    answered: async () => {},
  })
}

/** Looks the transaction up once. Replaces it when its fee cap is below the base fee; sends the same bytes again when no node knows them. */
export async function pollTransaction(deps: AttemptDeps, open: OpenTransaction): Promise<Polled> {
  let found: TransactionState | undefined
  return settleAttempt<FinalState, Polled>({
    state: 'submitted',
    now: deps.clock.now,
    async lookUp() {
      found = await read(deps.chain, open)
      return toLookUp(found)
    },
    settled: async (final) => ({ kind: 'final', final }),
    reopened: async () => (await replaceUnderpriced(deps, open)) ?? (await sendAgain(deps.chain, open.signed)),
    undecided: async () => {
      if (found?.state === 'hidden') return { kind: 'open', isHidden: true }
      // It is in a block, and not final yet: its fee was high enough.
      const isMined = found?.state === 'pending' && found.epoch !== undefined
      return (isMined ? undefined : await replaceUnderpriced(deps, open)) ?? { kind: 'open' }
    },
  })
}

function toLookUp(found: TransactionState): LookUp<FinalState> {
  switch (found.state) {
    case 'unknown':
      return { kind: 'absent' }
    case 'pending':
    case 'hidden':
      return { kind: 'open' }
    default:
      return { kind: found.state === 'replaced' ? 'ended' : 'landed', final: found }
  }
}

/**
 * I-44: the fee cap of the transaction is below the base fee, so no block can include it, nor any transaction with a later nonce of the
 * wallet. It is replaced by one with the same nonce, of which the chain takes at most one. Undefined, with nothing sent, while its cap is
 * high enough.
 */
async function replaceUnderpriced(deps: AttemptDeps, { signed, recordReplacement }: OpenTransaction): Promise<Polled | undefined> {
  const { chain, signer, log, fees } = deps
  if (!recordReplacement) return undefined
  const { signReplacement } = await import('../chain/replacement.ts')
  const { FeeAboveLimit } = await import('../chain/chain-error.ts')
  const blocked = `Transaction ${signed.hash} with nonce ${signed.nonce} pays less than the base fee, and later transactions of the wallet wait for it.`
  try {
    const next = await signReplacement({ chain, account: signer, signed, limits: fees })
    if (next === undefined) return undefined
    if ((signed.earlier?.length ?? 0) + 1 >= transactionsMax)
      return {
        kind: 'open',
        hold: `${blocked} It was replaced ${transactionsMax - 1} times; svc replaces it no more. Wait until the base fee falls, or use nonce ${signed.nonce} with another program: the operation then ends as failed, and the next one follows.`,
      }
    await sendTransaction(chain, next, {
      probes: { recorded, sent },
      record: () => recordReplacement(next),
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
  await sendTransaction(chain, signed, {
    // The bytes are recorded since they were first sent.
    record: async () => true,
    notSent: async ({ cause }) => {
      hold = `Transaction ${signed.hash} may have been sent before, and the node rejects it now (${cause.message}). It stays open. Make sure that the wallet can pay its fee, then try again.`
    },
  })
  return { kind: 'open', ...(hold !== undefined && { hold }) }
}
