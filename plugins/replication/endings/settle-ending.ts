/** @walk ending 7: retires the data set when its end is final */
import { defineProbe, type Outcome } from '#kernel'
import { readDepths } from '../finality/landing-checks.ts'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { lookUpEnd } from './chain-end.ts'
import { changeEnding } from './ending-store.ts'
import type { EndingWork } from './ending-work.ts'
import { type ForgetDataSetDeps, forgetEnded } from './forget-data-set.ts'

export type SettleEndingDeps = ForgetDataSetDeps &
  Pick<Pipeline, 'schedule' | 'log' | 'chain' | 'reads' | 'funds' | 'walletOperations' | 'progressed'>

const landedProbe = defineProbe('storage.end.landed')
const retiredProbe = defineProbe('storage.end.retired')

const singleSourceMessage =
  'the end of the service is final according to one chain node; its records are kept longer, because chain.rpc_urls names no other node that confirms it'

/** The chain has ended the service. */
export async function landed(deps: SettleEndingDeps, { dataSet, chainId }: EndingWork, endEpoch: bigint | null): Promise<Outcome> {
  const { database, clock, log, funds } = deps
  await database.write((tx) => changeEnding(tx, 'landed', dataSet.id, { endEpoch, nowMs: clock.now() }))
  await landedProbe()
  deps.progressed()
  funds.forget()
  log.info('service ended', { dataSet: dataSet.id, chainId: chainId.toString(), paidUntilEpoch: endEpoch?.toString() ?? 'deleted' })
  return waitFor(clock, 'finality', 0)
}

/** Retires the data set when no reorganisation can undo its end. */
export async function confirmEnd(deps: SettleEndingDeps, work: EndingWork): Promise<Outcome> {
  const { database, clock, pace, log, states } = deps
  const { dataSet } = work
  const { finalized, deletable, confirmed } = await readDepths(deps)
  const isFinal = (await lookUpEnd(deps, work, finalized)).kind === 'ended'
  if (isFinal && (await lookUpEnd(deps, work, deletable)).kind === 'ended') {
    if (work.ending.path === 'payer' && work.ending.attempts > 0) await recordOutcome(deps, work)
    await database.write(async (tx) => {
      await changeEnding(tx, 'ended', dataSet.id, { nowMs: clock.now() })
      await states.dataSets.apply(tx, 'retired', dataSet.id)
    })
    await retiredProbe()
    log.info('data set retired', { dataSet: dataSet.id, chainId: work.chainId.toString() })
    return forgetEnded(deps, dataSet)
  }
  if (!isFinal && (await lookUpEnd(deps, work)).kind === 'running') {
    await database.write((tx) => changeEnding(tx, 'rolled_back', dataSet.id, { nowMs: clock.now() }))
    log.warn('the end of a service disappeared from the chain and is looked up again', { dataSet: dataSet.id })
    return waitFor(clock, 'confirmation', nextCheckMs(pace, 0), 'waiting for the chain to confirm that the service has ended')
  }
  const epochs = Math.min(10, Math.max(1, Number(confirmed - deletable)))
  if (isFinal) return waitFor(clock, 'finality', pace.epochMs * epochs, singleSourceMessage)
  return waitFor(clock, 'finality', pace.epochMs * epochs, 'waiting until no reorganisation can undo the end of the service')
}

/** The wallet's transaction is as old as the end that it caused: its operation becomes final too. */
async function recordOutcome({ walletOperations, log }: SettleEndingDeps, { dataSet, ending }: EndingWork): Promise<void> {
  try {
    await walletOperations.follow(termination(dataSet, ending.attempts))
  } catch (error) {
    // Something else ended the service first. The next transaction of the wallet looks this one up again.
    log.warn('the outcome of a wallet transaction could not be recorded', { dataSet: dataSet.id, error })
  }
}

/** Each attempt is another wallet transaction. */
export const termination = ({ clientDataSetId }: EndingWork['dataSet'], attempt: number) =>
  ({ type: 'terminate', id: `${clientDataSetId}-${attempt}` }) as const

/** The wait while the account cannot pay for the end; undefined when it can. */
export async function waitForFunds({ funds, reads, clock, pace }: SettleEndingDeps, { chainId }: EndingWork): Promise<Outcome | undefined> {
  const found = await reads.dataSet(chainId)
  const verdict = await funds.canTerminate(found?.reserve ?? { balance: 0n, pending: 0n })
  if (verdict.isCovered) return undefined
  const reason = verdict.because === 'deposit' ? 'payment_debt' : 'funding'
  return waitFor(clock, reason, pace.fundingMs, `the service cannot be ended yet: ${verdict.message}`)
}
