import { expect, test } from 'vitest'
import { type HealthRow, type Observation, toPage, toSignal } from './health-policy.ts'

const time = { nowMs: 10_000_000, intervalMs: 300_000 }
const fresh: Observation = { status: 'available', reasonCodes: [], checkedAtMs: time.nowMs }
const row = (changes: Partial<Observation>): HealthRow<string> => {
  const observation = { ...fresh, ...changes }
  return { observation, show: ({ status }) => status }
}
const levelOf = (...observations: Partial<Observation>[]) =>
  toPage(observations.map(row), {}, { ...time, emptyCheckedAtMs: time.nowMs }).summary_signal.level

test.each([
  [600_000, false],
  [600_001, true],
  [-600_001, true],
])('a check of %i ms ago is stale: %s', (ageMs, stale) => {
  const { level, freshness } = toSignal({ ...fresh, checkedAtMs: time.nowMs - ageMs }, time)
  expect([freshness.stale, freshness.warnings, level]).toEqual(stale ? [true, ['stale_state'], 'warning'] : [false, [], 'ok'])
})

test('the level is blocking with an unavailable row, else a warning with a degraded, unknown, stale or unchecked one', () => {
  expect(levelOf({})).toBe('ok')
  expect(levelOf({}, { status: 'unavailable' }, { status: 'degraded' })).toBe('blocking')
  for (const bad of [{ status: 'degraded' }, { status: 'unknown' }, { checkedAtMs: 0 }, { checkedAtMs: null }] as const)
    expect(levelOf({}, bad)).toBe('warning')
})

test('the summary names the reasons, worst status first, with the number of rows that have each', () => {
  const rows = [
    row({}),
    row({ status: 'degraded', reasonCodes: ['provider_missed_proofs'] }),
    row({ status: 'degraded', reasonCodes: ['provider_missed_proofs', 'provider_calls_failing'] }),
    row({ status: 'unavailable', reasonCodes: ['provider_http_unreachable'] }),
  ]
  expect(toPage(rows, { limit: 1 }, { ...time, emptyCheckedAtMs: null }).summary.reasons).toEqual([
    { status: 'unavailable', reason_code: 'provider_http_unreachable', count: 1 },
    { status: 'degraded', reason_code: 'provider_missed_proofs', count: 2 },
    { status: 'degraded', reason_code: 'provider_calls_failing', count: 1 },
  ])
})

test('the summary covers all rows of the filter, and the page is shown alone', () => {
  let shown = 0
  const rows = Array.from(
    { length: 30 },
    (_, at): HealthRow<number> => ({
      observation: { ...fresh, status: at % 3 === 0 ? 'degraded' : 'available' },
      show: () => {
        shown += 1
        return at
      },
    }),
  )
  const page = toPage(rows, { status: 'degraded', limit: 3, offset: 2 }, { ...time, emptyCheckedAtMs: null })
  expect(page).toMatchObject({ items: [6, 9, 12], summary: { total: 10, degraded: 10, available: 0 }, total: 10, limit: 3, offset: 2 })
  expect(shown).toBe(3)
  expect(toPage(rows, { offset: 99 }, { ...time, emptyCheckedAtMs: null }).items).toEqual([])
})
