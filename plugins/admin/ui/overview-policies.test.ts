import { expect, test } from 'vitest'
import { addPage, findingsMax, newRun, withoutFinding } from './doctor/check-run-policy.ts'
import { findConcerns, judgeHealth } from './overview/concerns-policy.ts'
import { healthParts, stateParts } from './overview/health-parts-policy.ts'
import { addSample, samplesMax } from './overview/history-policy.ts'
import { describeUnstored } from './overview/unstored-policy.ts'

type Overview = Parameters<typeof findConcerns>[0]

const part = (degraded: number, unknown = 0) => ({
  summary: { total: 9, available: 9 - degraded - unknown, degraded, unavailable: 0, unknown },
  summary_signal: { level: 'ok' as const, freshness: { stale: false, warnings: [] } },
})

const overview = (attention: Partial<Overview['objects']['attention']>, failed: number, isPaused = false): Overview =>
  ({
    objects: { attention: { needs_attention: 0, unavailable: 0, stuck: 0, stuck_data_sets: 0, storage_confirmations: 0, ...attention } },
    tasks: { attention: { failed } },
    workers: { tasks: true },
    cache: { eviction_paused: isPaused },
    chain_storage_health: { level: 'ok', providers: null, data_sets: part(0), partial_errors: {} },
  }) as unknown as Overview

test('only what waits for an operator is a concern, the worst first, with the page that shows it', () => {
  expect(findConcerns(overview({}, 0))).toEqual([])
  expect(
    findConcerns(overview({ storage_confirmations: 2, unavailable: 1, stuck: 4, stuck_data_sets: 1, damaged_files: 4 }, 3, true)).map(
      ({ id, count, to }) => [id, count, to],
    ),
  ).toEqual([
    ['unavailable', 1, '/storage-risk'],
    ['damaged-files', 4, '/doctor'],
    ['stuck', 4, '/doctor'],
    ['stuck-data-sets', 1, '/doctor'],
    ['tasks', 3, '/tasks?status=failed'],
    ['confirmations', 2, '/storage-confirmations'],
    ['eviction', 1, '/doctor'],
  ])
})

test('data sets that were never observed are no degraded storage', () => {
  const health = { level: 'warning', providers: null, partial_errors: {} } as const
  expect(judgeHealth({ ...health, data_sets: part(0, 9) }).text).toBe('Storage not observed')
  expect(judgeHealth({ ...health, data_sets: part(1, 8) }).text).toBe('Degraded')
  expect(judgeHealth({ ...health, level: 'blocking', data_sets: part(0) }).tone).toBe('danger')
})

test('bars leave out what has no objects', () => {
  expect(
    stateParts({ cached: 0, uploading: 0, committing: 2, replicating: 0, stored: 5, failed: 0 }).map(({ label, value }) => [label, value]),
  ).toEqual([
    ['Stored', 5],
    ['Committing', 2],
  ])
  expect(healthParts(part(1).summary).map(({ label }) => label)).toEqual(['Available', 'Degraded'])
})

test('one answer is one sample, and the oldest samples leave', () => {
  const sample = (atMs: number) => ({ atMs, running: 1, pending: 2, cacheUsedBytes: 3, objects: 4, stored: 3, bytes: 5 })
  const once = addSample([], sample(5))
  expect(addSample(once, sample(5))).toBe(once)
  let many = once
  for (let at = 6; at < 6 + samplesMax; at += 1) many = addSample(many, sample(at))
  expect([many.length, many[0]?.atMs]).toEqual([samplesMax, 6])
})

const finding = (target: string) => ({
  severity: 'error' as const,
  subject: { kind: 'content', id: target },
  message: 'wrong',
  repair: 'repair it',
  fix: { name: 'storage.fix', target },
})

test('pages of a check add up to a limit, and a repaired finding leaves', () => {
  const first = addPage(newRun, { findings: [finding('1'), finding('2')], compared: 10 })
  expect(withoutFinding(first, { name: 'storage.fix', target: '1' }).findings.map(({ subject }) => subject.id)).toEqual(['2'])
  const full = addPage(first, { findings: Array.from({ length: findingsMax }, (_, at) => finding(String(at))), compared: 5 })
  expect([full.compared, full.findings.length, full.isCut]).toEqual([15, findingsMax, true])
})

test('objects that failed are not on their way', () => {
  const objects = (total: number, stored: number, failed: number, stuck = 0) =>
    describeUnstored({ total, by_state: { stored, failed }, attention: { stuck } } as Parameters<typeof describeUnstored>[0])
  expect([objects(0, 0, 0), objects(3, 3, 0), objects(3, 2, 0), objects(9, 2, 3), objects(3, 2, 1), objects(9, 2, 3, 4)]).toEqual([
    'No objects yet',
    'Nothing is on its way',
    '1 on its way',
    '4 on their way, 3 failed',
    '1 failed',
    '4 stuck, 3 failed',
  ])
})
