import { type Clock, type Outcome, wait } from '#kernel'
import type { NotSent, Uncertain } from '../chain/provider-answer.ts'
import { afterSilence, type Breaker, type BreakerPauses, closedBreaker, judgeBreaker } from './provider-breaker-policy.ts'

/** Work of tasks that share slots. A provider may fail at one and not at the other, so each is judged by itself. */
export type TurnLane = 'store' | 'mutation' | 'removal'

/** Tasks of each lane that may run at the same time. */
export type LaneSlots = Readonly<Record<TurnLane, number>>

export interface Refusal {
  /** `provider`: it does not answer. `provider_busy`: it holds its share of the slots. */
  readonly reason: 'provider' | 'provider_busy'
  readonly untilMs: number
  readonly message: string
}

type Answer = { readonly kind: 'ok' | 'landed' } | NotSent | Uncertain

/** Leave to call a provider now, or the reason to wait. Ends with its disposal. */
export interface Turn extends Disposable {
  readonly refusal: Refusal | undefined
  /** Takes note of whether the provider answered, and returns the answer. */
  heard<A extends Answer>(answer: A): A
}

/** A task that wants to know when the provider has a free slot again. */
export interface Waiter {
  readonly id: number
  wake(): void
}

export interface ProviderTurns {
  take(serviceUrl: string, lane: TurnLane, waiter?: Waiter): Turn
  /** Whether tasks wait for this provider because it does not answer. */
  isSilent(serviceUrl: string): boolean
}

/** A waiter that is woken by the clock alone comes back after so many epochs at most. */
const busyEpochsMax = 10
/** Beyond, waiters are woken by the clock alone. */
const waitersMax = 10_000
const pauseEpochsMax = 16

interface Gate {
  breaker: Breaker
  isProbing: boolean
  held: number
  readonly waiters: Map<number, Waiter>
}

/** Who may call which provider, in memory: after a restart a silent provider is found out anew. */
export function createProviderTurns(options: {
  readonly clock: Clock
  readonly epochMs: number
  readonly slots: LaneSlots
}): ProviderTurns {
  const { clock, epochMs, slots } = options
  const pauses: BreakerPauses = { firstMs: epochMs, mostMs: epochMs * pauseEpochsMax }
  const gates: Readonly<Record<TurnLane, Map<string, Gate>>> = { store: new Map(), mutation: new Map(), removal: new Map() }
  // I-32: where a lane has more than one slot, the rest stays for other providers.
  const shareOf = (lane: TurnLane) => Math.max(1, Math.floor(slots[lane] / 2))

  function gateOf(serviceUrl: string, lane: TurnLane): Gate {
    const known = gates[lane].get(serviceUrl)
    if (known) return known
    const gate: Gate = { breaker: closedBreaker, isProbing: false, held: 0, waiters: new Map() }
    gates[lane].set(serviceUrl, gate)
    return gate
  }

  function refusalOf(gate: Gate, lane: TurnLane): Refusal | undefined {
    const nowMs = clock.now()
    const verdict = judgeBreaker(gate.breaker, nowMs, pauses)
    const message = `the provider did not answer ${gate.breaker.silences} times in a row`
    if (verdict.kind === 'open') return { reason: 'provider', untilMs: verdict.untilMs, message }
    if (verdict.kind === 'probe' && gate.isProbing) return { reason: 'provider', untilMs: nowMs + pauses.firstMs, message }
    if (gate.held < shareOf(lane)) return undefined
    const epochs = Math.min(Math.ceil((gate.waiters.size + 1) / shareOf(lane)), busyEpochsMax)
    return { reason: 'provider_busy', untilMs: nowMs + epochs * epochMs, message: 'the provider is busy with other work of this service' }
  }

  function admit(gate: Gate, lane: TurnLane): Turn {
    const isProbe = gate.breaker.openings > 0
    gate.held += 1
    if (isProbe) gate.isProbing = true
    return {
      refusal: undefined,
      heard(answer) {
        const evidence = judgeAnswer(answer)
        if (evidence === 'answered') gate.breaker = closedBreaker
        if (evidence === 'silent') gate.breaker = afterSilence(gate.breaker, clock.now(), pauses)
        return answer
      },
      [Symbol.dispose]() {
        gate.held -= 1
        if (isProbe) gate.isProbing = false
        wake(gate, shareOf(lane))
      },
    }
  }

  return {
    take(serviceUrl, lane, waiter) {
      const gate = gateOf(serviceUrl, lane)
      const refusal = refusalOf(gate, lane)
      if (waiter && refusal?.reason === 'provider_busy' && gate.waiters.size < waitersMax) gate.waiters.set(waiter.id, waiter)
      if (refusal) return { refusal, heard: (answer) => answer, [Symbol.dispose]: () => undefined }
      // It waits nowhere any more.
      if (waiter) for (const other of gates[lane].values()) other.waiters.delete(waiter.id)
      return admit(gate, lane)
    },
    isSilent: (serviceUrl) =>
      (['store', 'mutation'] as const).some((lane) => {
        const gate = gates[lane].get(serviceUrl)
        // After the pause it counts as available: without tasks of its own nothing else would probe it.
        return gate !== undefined && judgeBreaker(gate.breaker, clock.now(), pauses).kind === 'open'
      }),
  }
}

/** For a step that can only wait. */
export const waitForTurn = ({ reason, untilMs, message }: Refusal): Outcome => wait(reason, untilMs, message)

/** As many as there is room for: one that was woken before may have found other work. */
function wake({ waiters, held }: Gate, share: number): void {
  let room = share - held
  for (const [id, waiter] of waiters) {
    if (room-- <= 0) return
    waiters.delete(id)
    waiter.wake()
  }
}

/** Only silence is held against a provider: a refusal is an answer. */
function judgeAnswer(answer: Answer): 'answered' | 'silent' | 'unknown' {
  if (answer.kind !== 'not_sent' && answer.kind !== 'uncertain') return 'answered'
  switch (answer.cause.reason) {
    case 'unreachable':
    case 'timeout':
    case 'connection_lost':
      return 'silent'
    case 'aborted':
    case 'over_limit':
    case 'egress_refused':
      return 'unknown'
    default:
      return 'answered'
  }
}
