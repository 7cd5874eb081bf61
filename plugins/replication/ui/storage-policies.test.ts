import { expect, test } from 'vitest'
import { type Confirmation, followEntry, isOutdated } from './confirmations/reason-policy.ts'
import { afterRefusal, isUnfinished, type Raise, stageOf } from './raises/raise-policy.ts'
import { byRisk, groupByHealth } from './risk/health-policy.ts'
import { nextMarkers, type RiskPage, riskQuery } from './risk/risk-query-policy.ts'

const search = (query: string) => riskQuery(new URLSearchParams(query))

test('an exact key wins over a prefix, which the API refuses together', () => {
  expect(search('prefix=a&key=b')).toEqual({ limit: '50', key: 'b' })
  expect(search('prefix=..%2F%3Cimg%3E')).toEqual({ limit: '50', prefix: '../<img>' })
  expect(search('data_set=7')).toEqual({ limit: '50', local_data_set_id: '7' })
  expect(search('data_set=-1')).toEqual({ limit: '50' })
})

test('the marker of a page counts only when it is whole, and keeps the time of the first page', () => {
  const page = {
    versions: [],
    has_more: true,
    next_key_marker: 'k\u202e',
    next_version_marker: 'v',
    next_created_at_marker: '2026-01-31T12:00:00.123Z',
    stale_before: '2026-01-31T11:50:00.456Z',
  } satisfies RiskPage
  const markers = nextMarkers(page) ?? {}
  expect(search(new URLSearchParams(markers).toString())).toEqual({ limit: '50', ...markers })
  expect(search('key_marker=k&version_marker=v')).toEqual({ limit: '50' })
  expect(nextMarkers({ ...page, has_more: false })).toBeUndefined()
})

test('buckets stand by risk, then by name', () => {
  const bucket = (name: string, status: string) => ({ name, storage_health: { status } }) as Parameters<typeof byRisk>[0][number]
  const sorted = byRisk([bucket('a', 'available'), bucket('d', 'degraded'), bucket('c', 'degraded'), bucket('b', 'unavailable')])
  expect(sorted.map(({ name }) => name)).toEqual(['b', 'c', 'd', 'a'])
})

test('data sets at risk are counted by health, the worst first', () => {
  const set = (id: string, status: 'unknown' | 'degraded') =>
    ({ data_set_id: id, provider_id: '7', storage_health: { status, reason_codes: ['copy_pending'] } }) as Parameters<
      typeof groupByHealth
    >[0][number]
  expect(
    groupByHealth([set('1', 'unknown'), set('2', 'degraded'), set('3', 'unknown')]).map(({ status, sets }) => [status, sets.length]),
  ).toEqual([
    ['degraded', 1],
    ['unknown', 2],
  ])
})

test('a refusal says whether the listed entry is out of date', () => {
  expect(
    ['storage_confirmation_changed', 'storage_confirmation_landed', 'storage_confirmation_unchecked', undefined].map(isOutdated),
  ).toEqual([true, true, false, false])
})

test('what was accepted for a release counts until a fact of the entry changes', () => {
  const first = { copy_id: 7, attempt_id: 'a1', reason_code: 'submission_unknown' } as Confirmation
  const shown = { entry: first, isChanged: false }
  expect(followEntry({ entry: undefined, isChanged: false }, first)).toEqual(shown)
  expect(followEntry(shown, { ...first })).toBe(shown)
  for (const change of [{ attempt_id: 'a2' }, { transaction_id: '0x1' }, { reason_code: 'result_mismatch' } as const]) {
    expect(followEntry(shown, { ...first, ...change })).toEqual({ entry: { ...first, ...change }, isChanged: true })
  }
  expect(followEntry(shown, undefined).entry).toBeUndefined()
})

test('a raise says what it does now, and how far the count of lacking copies goes', () => {
  const raise = (status: Raise['status'], lacking_copies: number) => ({ status, lacking_copies }) as Raise
  const stage = (shown: Raise) => stageOf(shown, String)
  expect(stage(raise('raising', 5))).toBe('The targets of the contents are being raised.')
  expect([1, 2, 10_000].map((count) => stage(raise('copying', count)))).toEqual([
    '1 content lacks copies.',
    '2 contents lack copies.',
    'At least 10000 contents lack copies.',
  ])
  expect(stage(raise('completed', 0))).toBe('Every content has its copies.')
  expect([null, undefined, raise('completed', 0), raise('copying', 0)].map(isUnfinished)).toEqual([false, false, false, true])
})

test('a refused raise is shown again where its preview has changed, and gets a new id where the id was used', () => {
  expect(
    ['price_list_changed', 'copy_raise_target_changed', 'copy_raise_unfinished', 'copy_raise_idempotency_conflict', undefined].map(
      afterRefusal,
    ),
  ).toEqual(['preview', 'preview', 'preview', 'new_request', 'repeat'])
})
