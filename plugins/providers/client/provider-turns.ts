import { type Clock, type Outcome, wait } from '#kernel'
import type { NotSent, Uncertain } from './provider-answer.ts'
import { afterNoAnswer, type Breaker, type BreakerPauses, closedBreaker, judgeBreaker } from './provider-breaker-policy.ts'
import type { ProviderClient } from './provider-client.ts'
import { wrapClient } from './wrapped-client.ts'

/** Kinds of calls that share slots. A provider may fail at one kind only, so each has its own breaker. */
type TurnLane = 'store' | 'lookup' | 'mutation' | 'removal'

/** Maximum number of concurrent tasks per lane. */
export type LaneSlots = Readonly<Record<TurnLane, number>>

export interface Refusal {
  /** `provider`: it does not answer. `provider_busy`: it holds its share of the slots. */
  readonly reason: 'provider' | 'provider_busy'
  readonly untilMs: number
  readonly message: string
}

type Answer = { readonly kind: 'ok' | 'landed' } | NotSent | Uncertain

/** Permission to call a provider now, or the reason to wait. Dispose to free the slot. */
export interface Turn extends Disposable {
  readonly refusal: Refusal | undefined
  /** Each answer is recorded for the breaker. */
  readonly client: ProviderClient
  /** Records whether the provider answered, and returns the answer. */
  record<A extends Answer>(answer: A): A
}

/** A task to notify when the provider has a free slot. */
interface Waiter {
  readonly id: number
  notify(): void
}

export interface ProviderTurns {
  take(serviceUrl: string, lane: TurnLane, waiter?: Waiter): Turn
  /** Whether calls to this provider are paused because it does not answer. */
  isUnresponsive(serviceUrl: string): boolean
}

/** Longest wait for a slot, in epochs; a free slot notifies waiters earlier. */
const busyEpochsMax = 10
/** Further waiters are not notified; they run at their due time. */
const waitersMax = 10_000
const pauseEpochsMax = 16

interface ProviderLane {
  breaker: Breaker
  isProbing: boolean
  held: number
  readonly waiters: Map<number, Waiter>
}

/** Slots and circuit breakers per provider and lane. In memory: after a restart all breakers are closed. */
export function createProviderTurns(options: {
  readonly clock: Clock
  readonly epochMs: number
  readonly slots: LaneSlots
  client(serviceUrl: string): ProviderClient
}): ProviderTurns {
  const { clock, epochMs, slots } = options
  const pauses: BreakerPauses = { firstMs: epochMs, mostMs: epochMs * pauseEpochsMax }
  const lanes: Readonly<Record<TurnLane, Map<string, ProviderLane>>> = {
    store: new Map(),
    lookup: new Map(),
    mutation: new Map(),
    removal: new Map(),
  }
  // I-32: a provider gets at most half of a lane's slots, and at least one.
  const shareOf = (lane: TurnLane) => Math.max(1, Math.floor(slots[lane] / 2))

  function laneOf(serviceUrl: string, lane: TurnLane): ProviderLane {
    const known = lanes[lane].get(serviceUrl)
    if (known) return known
    const state: ProviderLane = { breaker: closedBreaker, isProbing: false, held: 0, waiters: new Map() }
    lanes[lane].set(serviceUrl, state)
    return state
  }

  function refusalOf(state: ProviderLane, lane: TurnLane): Refusal | undefined {
    const nowMs = clock.now()
    const verdict = judgeBreaker(state.breaker, nowMs, pauses)
    const message = `the provider did not answer ${state.breaker.unanswered} times in a row`
    if (verdict.kind === 'open') return { reason: 'provider', untilMs: verdict.untilMs, message }
    if (verdict.kind === 'probe' && state.isProbing) return { reason: 'provider', untilMs: nowMs + pauses.firstMs, message }
    if (state.held < shareOf(lane)) return undefined
    const epochs = Math.min(Math.ceil((state.waiters.size + 1) / shareOf(lane)), busyEpochsMax)
    return { reason: 'provider_busy', untilMs: nowMs + epochs * epochMs, message: 'the provider is busy with other work of this service' }
  }

  function admit(state: ProviderLane, lane: TurnLane, client: ProviderClient): Turn {
    const isProbe = state.breaker.openings > 0
    state.held += 1
    if (isProbe) state.isProbing = true
    const record = <A extends Answer>(answer: A): A => {
      const evidence = judgeAnswer(answer)
      if (evidence === 'answered') state.breaker = closedBreaker
      if (evidence === 'unanswered') state.breaker = afterNoAnswer(state.breaker, clock.now(), pauses)
      return answer
    }
    return {
      refusal: undefined,
      record,
      client: wrapClient(client, async (_call, send) => record(await send())),
      [Symbol.dispose]() {
        state.held -= 1
        if (isProbe) state.isProbing = false
        notifyWaiters(state, shareOf(lane))
      },
    }
  }

  return {
    take(serviceUrl, lane, waiter) {
      const state = laneOf(serviceUrl, lane)
      const refusal = refusalOf(state, lane)
      if (waiter && refusal?.reason === 'provider_busy' && state.waiters.size < waitersMax) state.waiters.set(waiter.id, waiter)
      const client = options.client(serviceUrl)
      if (refusal) return { refusal, client, record: (answer) => answer, [Symbol.dispose]: () => undefined }
      // The task has a slot: remove it from all waiting lists.
      if (waiter) for (const other of lanes[lane].values()) other.waiters.delete(waiter.id)
      return admit(state, lane, client)
    },
    isUnresponsive: (serviceUrl) =>
      (['store', 'mutation'] as const).some((lane) => {
        const state = lanes[lane].get(serviceUrl)
        // After the pause it counts as responsive, because only a new task can probe it.
        return state !== undefined && judgeBreaker(state.breaker, clock.now(), pauses).kind === 'open'
      }),
  }
}

/** Outcome of a step that waits for its turn. */
export const waitForTurn = ({ reason, untilMs, message }: Refusal): Outcome => wait(reason, untilMs, message)

/** Notifies one waiter per free slot: an earlier notified one may have found another provider. */
function notifyWaiters({ waiters, held }: ProviderLane, share: number): void {
  let free = share - held
  for (const [id, waiter] of waiters) {
    if (free-- <= 0) return
    waiters.delete(id)
    waiter.notify()
  }
}

/** Only missing answers count for the breaker: a refusal is an answer. */
function judgeAnswer(answer: Answer): 'answered' | 'unanswered' | 'unknown' {
  if (answer.kind !== 'not_sent' && answer.kind !== 'uncertain') return 'answered'
  switch (answer.cause.reason) {
    case 'unreachable':
    case 'timeout':
    case 'connection_lost':
      return 'unanswered'
    case 'aborted':
    case 'over_limit':
    case 'egress_refused':
      return 'unknown'
    default:
      return 'answered'
  }
}
