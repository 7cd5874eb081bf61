/** @walk ending 5: asks the provider to end the service */
import { defineProbe, type Outcome } from '#kernel'
import { type NotSentCause, type ProviderAnswer, type TerminationAccepted, waitForTurn } from '#plugins/providers'
import { sendAttempt, settleAttempt, stateOfRow } from '#plugins/wallet'
import { signTerminateService } from '../chain/typed-data.ts'
import { writePriced } from '../datasets/price-list-store.ts'
import { nextCheckMs } from '../pace.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { endingStates } from '../submissions/row-states-policy.ts'
import { countSent } from '../submissions/sender-nonces.ts'
import { judgeRefusal } from '../submissions/setback-policy.ts'
import { type ChainEnd, lookUpEnd } from './chain-end.ts'
import { beginRetiring, changeEnding, countLook, endByPayer, forgiveAttempt } from './ending-store.ts'
import type { EndingWork } from './ending-work.ts'
import { landed, type SettleEndingDeps, waitForFunds } from './settle-ending.ts'

export type RelayEndingDeps = SettleEndingDeps & Pick<Pipeline, 'signer' | 'providers'>

const recorded = defineProbe('storage.end.recorded')
const sent = defineProbe('storage.end.sent')
const settled = defineProbe('storage.end.settled')

/** After this the wallet ends the service itself. It then pays the lockup period, so a provider gets time to recover. */
const relayWithinMs = 24 * 3_600_000
/** Requests that the provider accepted and dropped. */
const relaysMax = 2

/** Asks the provider to send the signed termination: the service ends at once. */
export async function relayEnding(deps: RelayEndingDeps, work: EndingWork, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, chain, signer, providers, states } = deps
  const { dataSet, ending, chainId } = work
  const hold = await waitForFunds(deps, work)
  if (hold) {
    // The provider was not asked: its time begins again.
    await database.write((tx) => beginRetiring(states, tx, dataSet.id, clock.now()))
    return hold
  }
  if (ending.attempts >= relaysMax)
    return switchToPayer(deps, work, `the provider did not send it: ${ending.lastError ?? 'no reason given'}`)
  if (isOverdue(deps, work)) return switchToPayer(deps, work, `the provider does not answer: ${ending.lastError ?? 'no reason given'}`)
  using turn = providers.turns.take(dataSet.serviceUrl, 'removal')
  if (turn.refusal) return waitForTurn(turn.refusal)
  const extraData =
    (ending.extraData as `0x${string}` | null) ??
    (await signTerminateService({
      account: signer,
      domain: { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss },
      dataSetId: chainId,
    }))
  const outcome = await sendAttempt<true, ProviderAnswer<TerminationAccepted>, Outcome>({
    probes: { recorded, sent },
    record: async () =>
      (await writePriced(deps, (tx, priceList) => changeEnding(tx, 'record', dataSet.id, { extraData, priceList, nowMs: clock.now() }))) ||
      undefined,
    send: async () => {
      signal.throwIfAborted()
      return turn.client.terminate({ dataSetId: chainId, extraData }, { signal })
    },
    answered: async (answer) => {
      await database.write((tx) =>
        answer.kind === 'ok'
          ? changeEnding(tx, 'answered_ok', dataSet.id, { nowMs: clock.now() })
          : changeEnding(tx, 'answered_uncertain', dataSet.id, { message: answer.cause.detail, nowMs: clock.now() }),
      )
      await settled()
      return waitForChain(deps, 0)
    },
    notSent: ({ cause }) => handleRefusal(deps, work, cause),
  })
  return outcome ?? waitForChain(deps, 0)
}

/** Looks up a request whose effect is open. A provider that dropped it says so; one that is silent is given up after `relayWithinMs`. */
export async function settleRelay(deps: RelayEndingDeps, work: EndingWork, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, chain, pace } = deps
  const { dataSet, ending } = work
  const { startedAtMs } = ending
  return settleAttempt<Extract<ChainEnd, { kind: 'ended' }>, Outcome>({
    state: stateOfRow(endingStates, ending.state) ?? 'uncertain',
    now: clock.now,
    lookUp: async () => {
      const found = await lookUpEnd(deps, work)
      return found.kind === 'ended' ? { kind: 'landed', final: found } : { kind: 'open' }
    },
    evidence: {
      sentAtMs: startedAtMs,
      observedNonce: ending.senderNonce,
      limits: { handlingMs: relayWithinMs, attentionMs: Number.POSITIVE_INFINITY },
      isReportedFailed: async () => {
        // A request without an answer may still be on its way: the provider does not know it yet.
        const isHandled = ending.state === endingStates.submitted || clock.now() - (startedAtMs ?? 0) >= pace.handlingMs
        return isHandled && (await isDropped(deps, work, signal))
      },
      countSent: () => countSent(chain, dataSet.providerAddress),
    },
    settled: ({ endEpoch }) => landed(deps, work, endEpoch),
    reopened: async () => {
      const message = 'the termination did not reach the chain'
      await database.write((tx) => changeEnding(tx, 'reopened', dataSet.id, { message, nowMs: clock.now() }))
      return waitFor(clock, 'confirmation', 0)
    },
    undecided: async ({ observe, nowMs }) => {
      await database.write(async (tx) => {
        await changeEnding(tx, 'answered_uncertain', dataSet.id, { message: 'the service stopped before the answer came', nowMs })
        await countLook(tx, dataSet.id, observe)
      })
      return waitForChain(deps, ending.checks)
    },
  })
}

const waitForChain = ({ clock, pace }: Pick<Pipeline, 'clock' | 'pace'>, checks: number) =>
  waitFor(clock, 'confirmation', nextCheckMs(pace, checks), 'waiting for the chain to confirm that the service has ended')

async function isDropped(
  { providers }: Pick<Pipeline, 'providers'>,
  { dataSet, chainId }: EndingWork,
  signal: AbortSignal,
): Promise<boolean> {
  using turn = providers.turns.take(dataSet.serviceUrl, 'removal')
  if (turn.refusal) return false
  const status = await turn.client.terminationStatus(chainId, { signal })
  return status.kind === 'ok' && status.value.state === 'absent'
}

const isOverdue = ({ clock }: Pick<Pipeline, 'clock'>, { ending }: EndingWork): boolean =>
  ending.retiringAtMs !== null && clock.now() - ending.retiringAtMs >= relayWithinMs

/** The request had no effect. */
async function handleRefusal(deps: RelayEndingDeps, work: EndingWork, cause: NotSentCause): Promise<Outcome> {
  const { database, clock, pace, funds } = deps
  const setback = judgeRefusal(cause, pace)
  const { message } = setback
  await database.write((tx) => changeEnding(tx, 'reopened', work.dataSet.id, { message, nowMs: clock.now() }))
  if (setback.kind !== 'wait') return switchToPayer(deps, work, message)
  if (setback.reason === 'funding') funds.forget()
  await database.write((tx) => forgiveAttempt(tx, work.dataSet.id))
  return waitFor(clock, setback.reason, setback.forMs, message)
}

async function switchToPayer({ database, clock, log }: RelayEndingDeps, { dataSet }: EndingWork, message: string): Promise<Outcome> {
  await database.write((tx) => endByPayer(tx, dataSet.id, { message, nowMs: clock.now() }))
  log.warn('the wallet ends a service, because its provider does not; the lockup period is paid', {
    dataSet: dataSet.id,
    provider: dataSet.providerId,
    reason: message,
  })
  return waitFor(clock, 'confirmation', 0)
}
