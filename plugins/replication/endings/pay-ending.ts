/** @walk ending 6: ends it by the wallet when the provider does not */
import type { Outcome } from '#kernel'
import { type OperationOutcome, settleAttempt, stateOfRow } from '#plugins/wallet'
import { writePriced } from '../datasets/price-list-store.ts'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { endingStates } from '../submissions/row-states-policy.ts'
import { type ChainEnd, lookUpEnd } from './chain-end.ts'
import { changeEnding, countLook } from './ending-store.ts'
import type { EndingWork } from './ending-work.ts'
import { landed, type SettleEndingDeps, termination, waitForFunds } from './settle-ending.ts'

/** Ends the service by a transaction of the wallet: it ends after the lockup period. */
export async function payEnding(deps: SettleEndingDeps, work: EndingWork): Promise<Outcome> {
  const { clock, walletOperations } = deps
  const { dataSet, ending, chainId } = work
  const hold = await waitForFunds(deps, work)
  if (hold) return hold
  // The wallet records the signed bytes before it sends them (I-04).
  await writePriced(deps, async (tx, priceList) => {
    if (!(await changeEnding(tx, 'record', dataSet.id, { extraData: null, priceList, nowMs: clock.now() }))) return
    await walletOperations.begin(tx, { ...termination(dataSet, ending.attempts + 1), dataSetId: chainId })
  })
  return waitForChain(deps, 0)
}

/** Looks up the end of the service on chain, and the wallet's transaction by its hash and nonce. */
export async function settlePayer(deps: SettleEndingDeps, work: EndingWork): Promise<Outcome> {
  const { database, clock, pace, walletOperations } = deps
  const { dataSet, ending } = work
  let outcome: OperationOutcome = { kind: 'unsent' }
  return settleAttempt<Extract<ChainEnd, { kind: 'ended' }>, Outcome>({
    state: stateOfRow(endingStates, ending.state) ?? 'uncertain',
    now: clock.now,
    lookUp: async () => {
      outcome = await walletOperations.follow(termination(dataSet, ending.attempts))
      // After the transaction: one that became final in between has ended the service.
      const found = await lookUpEnd(deps, work)
      if (found.kind === 'ended') return { kind: 'landed', final: found }
      return { kind: outcome.kind === 'failed' || outcome.kind === 'unsent' ? 'absent' : 'open' }
    },
    settled: ({ endEpoch }) => landed(deps, work, endEpoch),
    reopened: async () => {
      const message = outcome.kind === 'failed' ? outcome.message : 'the transaction was not requested'
      await database.write((tx) => changeEnding(tx, 'reopened', dataSet.id, { message, nowMs: clock.now() }))
      if (outcome.kind !== 'failed') return waitFor(clock, 'wallet', 0)
      throw new PipelineFault('termination_failed', `the service of data set ${dataSet.id} was not ended: ${message}`)
    },
    undecided: async () => {
      await database.write((tx) => countLook(tx, dataSet.id, undefined))
      if (outcome.kind !== 'open' || outcome.reason === 'confirmation') return waitForChain(deps, ending.checks)
      return waitFor(clock, outcome.reason, outcome.reason === 'fee' ? pace.fundingMs : pace.epochMs, outcome.message)
    },
  })
}

const waitForChain = ({ clock, pace }: Pick<Pipeline, 'clock' | 'pace'>, checks: number) =>
  waitFor(clock, 'confirmation', nextCheckMs(pace, checks), 'waiting for the transaction of the wallet that ends the service')
