import { type Clock, defineProbe, type Log } from '#kernel'
import type { FeeLimits } from '../chain/fee-limits.ts'
import type { SignedTransaction } from '../chain/transactions.ts'
import type { Chain, PayerTerminations, Signer, TransactionOutcome, TransactionStart } from '../contract.ts'
import type { Operation, OperationStore } from './operation-store.ts'
import { createTransactionAttempts, type FinalState } from './transaction-attempts.ts'
import type { WalletTurn } from './wallet-turn.ts'

const recorded = defineProbe('storage.end.payer-recorded')
const sent = defineProbe('storage.end.payer-sent')

interface PayerTerminationDeps {
  readonly chain: Chain
  readonly signer: Signer
  readonly store: OperationStore
  readonly turn: WalletTurn
  readonly clock: Clock
  readonly log: Log
  readonly fees: FeeLimits
}

type Request = Parameters<PayerTerminations['begin']>[0]

export function createPayerTerminations(deps: PayerTerminationDeps): PayerTerminations {
  const { store, turn, clock, log } = deps
  const attempts = createTransactionAttempts(deps)

  async function begin(request: Request): Promise<TransactionStart> {
    const open = await findOpen()
    if (open) return { kind: 'queued', ...(open.message !== undefined && { message: open.message }) }
    const signed = await sign(deps, request)
    return 'kind' in signed ? signed : send(await create(request), signed)
  }

  async function follow(id: string): Promise<TransactionOutcome> {
    const operation = await store.find('terminate', id)
    if (!operation?.signed) return { kind: 'unsent' }
    if (operation.status === 'submitted') return settle(operation, operation.signed)
    return operation.status === 'confirmed' ? { kind: 'confirmed' } : { kind: 'failed', message: operation.lastError ?? operation.status }
  }

  /** Looks up the transactions that were sent before, and records their outcomes. A later nonce cannot land before theirs. */
  async function findOpen(): Promise<Extract<TransactionOutcome, { readonly kind: 'open' }> | undefined> {
    for (const open of await store.listOpen()) {
      const outcome = open.signed && (await settle(open, open.signed))
      if (outcome?.kind === 'open') return outcome
    }
    return undefined
  }

  const create = ({ id }: Request): Promise<Operation> =>
    store.create({ type: 'terminate', clientRequestId: id, amount: 0n, nowMs: clock.now() })

  async function send(operation: Operation, signed: SignedTransaction): Promise<TransactionStart> {
    // Nothing is sent for an operation that has ended or has other bytes.
    let start: TransactionStart = { kind: 'queued' }
    await attempts.send(signed, {
      probes: { recorded, sent },
      record: async () => {
        const isRecorded = await store.recordSigned(operation.id, signed, clock.now())
        if (isRecorded) start = { kind: 'sent' }
        return isRecorded
      },
      // A retried request may be rejected after the first one was accepted, hence the look-up.
      notSent: async ({ cause }) => {
        if ((await attempts.lookUp(signed)).kind !== 'absent') return
        const message = `the node rejected it: ${cause.message}`
        await store.finish(operation.id, { status: 'failed', error: message, nowMs: clock.now() })
        start = { kind: 'failed', message }
      },
    })
    return start
  }

  async function settle(operation: Operation, signed: SignedTransaction): Promise<TransactionOutcome> {
    const polled = await attempts.poll({ id: operation.id, signed })
    if (polled.kind === 'open') return { kind: 'open', ...(polled.hold !== undefined && { message: polled.hold }) }
    const { status, error } = outcomes[polled.state](signed)
    await store.finish(operation.id, { status, ...(error !== undefined && { error }), nowMs: clock.now() })
    log.info('wallet operation final', { type: operation.type, hash: signed.hash, status })
    return error === undefined ? { kind: 'confirmed' } : { kind: 'failed', message: error }
  }

  return {
    begin: async (request) => (await turn.tryRun(() => begin(request))) ?? { kind: 'queued' },
    follow: async (id) => (await turn.tryRun(() => follow(id))) ?? { kind: 'open' },
  }
}

type Outcome = { readonly status: 'confirmed' | 'failed' | 'unknown'; readonly error?: string }

const outcomes: Record<FinalState, (signed: SignedTransaction) => Outcome> = {
  confirmed: () => ({ status: 'confirmed' }),
  reverted: ({ hash }) => ({ status: 'failed', error: `transaction ${hash} was reverted` }),
  replaced: ({ nonce }) => ({ status: 'unknown', error: `another transaction used its nonce (${nonce})` }),
}

async function sign({ chain, signer, fees }: PayerTerminationDeps, { dataSetId }: Request): Promise<SignedTransaction | TransactionStart> {
  const { planTermination } = await import('../chain/payments.ts')
  const { signTransaction } = await import('../chain/transactions.ts')
  const { ChainReverted, FeeAboveLimit } = await import('../chain/chain-error.ts')
  try {
    return await signTransaction({ chain, account: signer, call: planTermination({ chain, dataSetId }), limits: fees })
  } catch (error) {
    if (error instanceof FeeAboveLimit) return { kind: 'refused', reason: 'fee', message: error.message }
    if (error instanceof ChainReverted) return { kind: 'refused', reason: 'reverted', message: error.message }
    throw error
  }
}
