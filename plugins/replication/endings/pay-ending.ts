/** @walk ending 6: ends it by the wallet when the provider does not */
import type { Outcome } from '#kernel'
import { sendAttempt, settleAttempt, stateOfRow, type TransactionStart } from '#plugins/wallet'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { writePriced } from '../submissions/price-list-store.ts'
import { endingStates } from '../submissions/row-states-policy.ts'
import { type ChainEnd, lookUpEnd } from './chain-end.ts'
import { acceptEnding, countLook, recordEnding, reopenEnding } from './ending-store.ts'
import type { EndingWork } from './ending-work.ts'
import { landed, requestId, type SettleEndingDeps, waitForFunds } from './settle-ending.ts'

type PayerAnswer =
  | { readonly kind: 'ok' }
  | { readonly kind: 'not_sent'; readonly start: Exclude<TransactionStart, { readonly kind: 'sent' }> }

/** Ends the service by a transaction of the wallet: it ends after the lockup period. */
export async function payEnding(deps: SettleEndingDeps, work: EndingWork, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, payerTerminations } = deps
  const { dataSet, ending, chainId } = work
  const hold = await waitForFunds(deps, work)
  if (hold) return hold
  const id = requestId(dataSet, ending.attempts + 1)
  const outcome = await sendAttempt<true, PayerAnswer, Outcome>({
    record: async () =>
      (await writePriced(deps, (tx, priceList) => recordEnding(tx, dataSet.id, { extraData: null, priceList, nowMs: clock.now() }))) ||
      undefined,
    send: async () => {
      signal.throwIfAborted()
      const start = await payerTerminations.begin({ id, dataSetId: chainId })
      return start.kind === 'sent' ? { kind: 'ok' } : { kind: 'not_sent', start }
    },
    answered: async () => {
      await database.write((tx) => acceptEnding(tx, dataSet.id, clock.now()))
      return waitForChain(deps, 0)
    },
    notSent: ({ start }) => handleRefusal(deps, work, start),
  })
  return outcome ?? waitForChain(deps, 0)
}

/** Looks up the end of the service on chain, and the wallet's transaction by its hash and nonce. */
export async function settlePayer(deps: SettleEndingDeps, work: EndingWork): Promise<Outcome> {
  const { database, clock, pace, payerTerminations } = deps
  const { dataSet, ending } = work
  /** Undefined: svc stopped before the transaction was signed. */
  let failure: string | undefined
  /** Why the transaction cannot land now. */
  let hold: string | undefined
  return settleAttempt<Extract<ChainEnd, { kind: 'ended' }>, Outcome>({
    state: stateOfRow(endingStates, ending.state) ?? 'uncertain',
    now: clock.now,
    lookUp: async () => {
      const outcome = await payerTerminations.follow(requestId(dataSet, ending.attempts))
      // After the transaction: one that became final in between has ended the service.
      const found = await lookUpEnd(deps, work)
      if (found.kind === 'ended') return { kind: 'landed', final: found }
      if (outcome.kind === 'failed') failure = outcome.message
      if (outcome.kind === 'open') hold = outcome.message
      return { kind: outcome.kind === 'failed' || outcome.kind === 'unsent' ? 'absent' : 'open' }
    },
    settled: ({ endEpoch }) => landed(deps, work, endEpoch),
    reopened: async () => {
      const message = failure ?? 'the transaction was not signed'
      await database.write((tx) => reopenEnding(tx, dataSet.id, { message, nowMs: clock.now() }))
      if (failure === undefined) return waitFor(clock, 'wallet', 0)
      throw new PipelineFault('termination_failed', `the service of data set ${dataSet.id} was not ended: ${failure}`)
    },
    undecided: async () => {
      await database.write((tx) => countLook(tx, dataSet.id, undefined))
      return hold === undefined ? waitForChain(deps, ending.checks) : waitFor(clock, 'fee', pace.fundingMs, hold)
    },
  })
}

const waitForChain = ({ clock, pace }: Pick<Pipeline, 'clock' | 'pace'>, checks: number) =>
  waitFor(clock, 'confirmation', nextCheckMs(pace, checks), 'waiting for the transaction of the wallet that ends the service')

async function handleRefusal(
  { database, clock, pace }: Pick<Pipeline, 'database' | 'clock' | 'pace'>,
  { dataSet }: EndingWork,
  start: Exclude<TransactionStart, { readonly kind: 'sent' }>,
): Promise<Outcome> {
  const message = start.message ?? 'another transaction of the wallet is not final yet'
  await database.write((tx) => reopenEnding(tx, dataSet.id, { message, nowMs: clock.now() }))
  if (start.kind === 'queued') return waitFor(clock, 'wallet', pace.epochMs, message)
  // The operator can raise the limit, or wait for lower fees.
  if (start.kind === 'refused' && start.reason === 'fee') return waitFor(clock, 'fee', pace.fundingMs, message)
  throw new PipelineFault('termination_failed', `the service of data set ${dataSet.id} was not ended: ${message}`)
}
