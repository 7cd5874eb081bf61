import { beforeEach, expect, test } from 'vitest'
import { createFakeClock, type FakeClock } from '#kernel/testing'
import { notSent, ok, uncertain } from './provider-answer.ts'
import type { ProviderClient } from './provider-client.ts'
import { createProviderTurns, type ProviderTurns, type Turn } from './provider-turns.ts'

const a = 'http://a'
const b = 'http://b'
const epochMs = 1000
const lost = uncertain({ reason: 'timeout', detail: 'late' })
const refused = notSent({ reason: 'throttled', retryAfterMs: 1000, detail: 'later' })

/** No call gets an answer. */
const client = { serviceUrl: a, findPiece: async () => lost, pieceUrl: () => `${a}/piece` } as unknown as ProviderClient
let clock: FakeClock
let turns: ProviderTurns

beforeEach(() => {
  clock = createFakeClock()
  turns = createProviderTurns({ clock, epochMs, slots: { store: 8, lookup: 4, mutation: 4, removal: 1 }, client: () => client })
})

/** One call after the other, each recorded and ended. */
function call(serviceUrl: string, ...answers: readonly Parameters<Turn['record']>[0][]): void {
  for (const answer of answers) {
    using turn = turns.take(serviceUrl, 'store')
    turn.record(answer)
  }
}
const refusalOf = (serviceUrl: string, lane: 'store' | 'mutation' | 'removal' = 'store') => {
  using turn = turns.take(serviceUrl, lane)
  return turn.refusal && { reason: turn.refusal.reason, forMs: turn.refusal.untilMs - clock.now() }
}

test('I-32: a provider holds at most half of the slots of a lane, and at least one', () => {
  const held = Array.from({ length: 5 }, () => turns.take(a, 'store'))
  expect(held.map(({ refusal }) => refusal?.reason)).toEqual([undefined, undefined, undefined, undefined, 'provider_busy'])
  expect([refusalOf(b), refusalOf(a, 'mutation')]).toEqual([undefined, undefined])
  expect(turns.take(a, 'removal').refusal).toBeUndefined()
  expect(turns.take(a, 'removal').refusal?.reason).toBe('provider_busy')
  held[0]?.[Symbol.dispose]()
  expect(refusalOf(a)).toBeUndefined()
})

test('a free slot notifies a waiter once, and not after the waiter got a slot at another provider', () => {
  const notified: number[] = []
  const waiter = (id: number) => ({ id, notify: () => void notified.push(id) })
  const held = Array.from({ length: 4 }, () => turns.take(a, 'store'))
  for (const id of [1, 2, 2, 3]) turns.take(a, 'store', waiter(id))
  turns.take(b, 'store', waiter(1))
  for (const turn of held) turn[Symbol.dispose]()
  expect(notified).toEqual([2, 3])
})

test('a refused turn holds no slot', () => {
  const held = Array.from({ length: 4 }, () => turns.take(a, 'store'))
  turns.take(a, 'store')[Symbol.dispose]()
  expect(refusalOf(a)).toEqual({ reason: 'provider_busy', forMs: epochMs })
  for (const turn of held) turn[Symbol.dispose]()
  expect(refusalOf(a)).toBeUndefined()
})

test('after three calls without an answer a provider gets no call for a pause, then one probe at a time', async () => {
  call(a, lost, lost, refused, lost, lost)
  expect([refusalOf(a), turns.isUnresponsive(a)]).toEqual([undefined, false])
  call(a, lost)
  expect(refusalOf(a)).toEqual({ reason: 'provider', forMs: epochMs })
  expect([refusalOf(b), refusalOf(a, 'mutation'), turns.isUnresponsive(a)]).toEqual([undefined, undefined, true])
  await clock.advance(epochMs)
  expect(turns.isUnresponsive(a)).toBe(false)
  const probe = turns.take(a, 'store')
  expect([probe.refusal, refusalOf(a)]).toEqual([undefined, { reason: 'provider', forMs: epochMs }])
  probe.record(lost)
  probe[Symbol.dispose]()
  expect(refusalOf(a)).toEqual({ reason: 'provider', forMs: 2 * epochMs })
  await clock.advance(2 * epochMs)
  call(a, ok(1))
  expect([refusalOf(a), turns.isUnresponsive(a)]).toEqual([undefined, false])
})

test('an aborted probe lets the next call probe', async () => {
  call(a, lost, lost, lost)
  await clock.advance(epochMs)
  call(a, uncertain({ reason: 'aborted', detail: 'the service stops' }))
  expect(refusalOf(a)).toBeUndefined()
})

test('the client of a turn records each answer; the plain client of a refused turn records none', async () => {
  for (let calls = 0; calls < 3; calls++) {
    using turn = turns.take(a, 'store')
    expect(await turn.client.findPiece('cid')).toBe(lost)
    expect(turn.client.pieceUrl('cid')).toBe(`${a}/piece`)
  }
  expect(refusalOf(a)).toEqual({ reason: 'provider', forMs: epochMs })
  using refused = turns.take(a, 'store')
  await refused.client.findPiece('cid')
  expect(refusalOf(a)).toEqual({ reason: 'provider', forMs: epochMs })
})
