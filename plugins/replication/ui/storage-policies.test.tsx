import { expect, test } from 'vitest'
import { describeOutcome } from './confirmations/describe-outcome.ts'
import { type Confirmation, followEntries, groupByAttempt, isOutdated, repeatFee } from './confirmations/reason-policy.ts'
import { afterRefusal, isUnfinished, type Raise, stageOf } from './raises/raise-policy.ts'
import { byRisk, groupByHealth } from './risk/health-policy.ts'
import { nextMarkers, type RiskPage, riskQuery } from './risk/risk-query-policy.ts'
import { causeText, readWork, reasonText, type Shortfall } from './shortfall/describe-shortfall.ts'

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

test('what was accepted for a release counts until a fact of an entry changes; entries that left need no decision', () => {
  const first = { copy_id: 7, attempt_id: 'a1', reason_code: 'submission_unknown' } as Confirmation
  const second = { ...first, copy_id: 8 }
  const shown = { entries: [first, second], isChanged: false }
  expect(followEntries(shown, [{ ...first }, { ...second }, { ...first, copy_id: 9 }])).toEqual(shown)
  expect(followEntries(shown, [second])).toEqual({ entries: [second], isChanged: false })
  for (const change of [{ attempt_id: 'a2' }, { transaction_id: '0x1' }, { reason_code: 'result_mismatch' } as const]) {
    expect(followEntries(shown, [{ ...first, ...change }, second])).toEqual({ entries: [{ ...first, ...change }, second], isChanged: true })
  }
  expect(followEntries(shown, []).entries).toEqual([])
})

test('copies of one attempt are one group, whose repeat pays one call and each piece exactly', () => {
  const entry = (copy_id: number, attempt_id: string) =>
    ({ copy_id, attempt_id, repeat_fees: { call: '9007199254740993', piece: '10' } }) as Confirmation
  const groups = groupByAttempt([entry(1, '5'), entry(2, '6'), entry(3, '5')])
  expect(groups.map(({ attemptId, entries }) => [attemptId, entries.map(({ copy_id }) => copy_id)])).toEqual([
    ['5', [1, 3]],
    ['6', [2]],
  ])
  expect(repeatFee(groups[0]?.entries ?? [])).toBe('9007199254741013')
  expect(repeatFee([{ copy_id: 1 } as Confirmation])).toBeUndefined()
})

test('a cause is one line: who fails or is waited for, objects and failed tasks', () => {
  const cause = { work: 'stuck', provider_id: '2', provider_name: 'second', objects: 10, failed_tasks: 19, data_sets: [] } as const
  expect(causeText({ ...cause, data_sets: [] })).toBe('Provider 2 (second) fails: 10 objects below target, 19 failed tasks')
  expect(causeText({ work: 'waiting', reason: 'funding', objects: 1, failed_tasks: 0, data_sets: [] })).toBe(
    'Waiting: 1 object below target',
  )
  expect(causeText({ work: 'waiting', provider_id: '3', objects: 1, failed_tasks: 0, data_sets: [] })).toBe(
    'Waiting for Provider 3: 1 object below target',
  )
})

test('an object says why it lacks copies: each failure with its provider, or its wait', () => {
  const object = { work: 'stuck', failures: [{ provider_id: '2', message: 'full' }] } as unknown as Shortfall
  expect(reasonText(object)).toBe('Provider 2: full')
  expect(reasonText({ ...object, failures: [] })).toBe('No failure is recorded.')
  expect(reasonText({ ...object, work: 'waiting', wait_message: 'Waits for the chain.' })).toBe('Waits for the chain.')
  expect(['stuck', 'gone', ''].map(readWork)).toEqual(['stuck', undefined, undefined])
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

test('copies of a group that were not released are told by reason', () => {
  const landed = { code: 'storage_confirmation_landed', error: 'The chain has the copy.' }
  const refusals = [
    { copy_id: 1, ...landed },
    { copy_id: 2, code: 'storage_confirmation_changed', error: 'It has another attempt.' },
    { copy_id: 3, ...landed },
  ]
  const outcome = { attempt_id: '5', released: 1, refused: 3, refusals, has_more: false }
  expect(describeOutcome(outcome)).toBe('2 copies: The chain has the copy. 1 copy: It has another attempt.')
  expect(describeOutcome({ ...outcome, refused: 0, refusals: [], has_more: true })).toBe(
    'Copies are left that were not tried: release them again.',
  )
})
