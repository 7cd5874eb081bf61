import { expect, test } from 'vitest'
import { describeBelowTarget } from './buckets/describe-below-target.ts'
import { isObserved } from './buckets/health-policy.ts'
import { addPage, findingsMax, newRun, withoutFinding } from './doctor/check-run-policy.ts'
import { groupChecks, summariseRuns } from './doctor/group-checks.ts'
import { findConcerns, judgeHealth } from './overview/concerns-policy.ts'
import { describeRunway } from './overview/describe-runway.ts'
import { describeUnstored } from './overview/describe-unstored.ts'
import { healthParts, stateParts } from './overview/health-parts-policy.ts'

type Overview = Parameters<typeof findConcerns>[0]

const part = (degraded: number, unknown = 0) => ({
  summary: { total: 9, available: 9 - degraded - unknown, degraded, unavailable: 0, unknown },
  summary_signal: { level: 'ok' as const, freshness: { stale: false, warnings: [] } },
})

const overview = (attention: Partial<Overview['objects']['attention']>, failed: number, stuck = 0, isPaused = false): Overview =>
  ({
    objects: {
      attention: { needs_attention: 0, unavailable: 0, stuck: 0, stuck_data_sets: 0, storage_confirmations: 0, ...attention },
      below_target: { stuck, waiting: 3, working: 3 },
    },
    tasks: { attention: { failed } },
    workers: { tasks: true },
    cache: { eviction_paused: isPaused },
    chain_storage_health: { level: 'ok', providers: part(0), data_sets: part(0), partial_errors: {} },
  }) as unknown as Overview

test('only what waits for an operator is a concern, the worst first, with the page that shows it', () => {
  expect(findConcerns(overview({}, 0))).toEqual([])
  expect(
    findConcerns(overview({ storage_confirmations: 2, unavailable: 1, stuck_data_sets: 1, damaged_files: 4 }, 3, 4, true)).map(
      ({ id, count, to }) => [id, count, to],
    ),
  ).toEqual([
    ['unavailable', 1, '/storage-risk'],
    ['damaged-files', 4, '/doctor'],
    ['stuck', 4, '/below-target?work=stuck'],
    ['stuck-data-sets', 1, '/doctor'],
    ['tasks', 3, '/tasks?status=failed'],
    ['confirmations', 2, '/storage-confirmations'],
    ['eviction', 1, '/doctor'],
  ])
  const unobserved = overview({ unavailable: 1 }, 0)
  const health = { ...unobserved.chain_storage_health, providers: null }
  expect(findConcerns({ ...unobserved, chain_storage_health: health }).map(({ to }) => to)).toEqual(['/buckets'])
})

test('data sets that were never observed are no degraded storage', () => {
  const health = { level: 'warning', providers: null, partial_errors: {} } as const
  expect(judgeHealth({ ...health, data_sets: part(0, 9) })).toBeUndefined()
  expect(judgeHealth({ ...health, level: 'ok', data_sets: null })).toBeUndefined()
  expect(judgeHealth({ ...health, data_sets: part(1, 8) })?.text).toBe('Degraded')
  expect(judgeHealth({ ...health, level: 'blocking', data_sets: part(0) })?.tone).toBe('danger')
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

test('objects below their target are stuck, wait or are worked on, in this order', () => {
  const work = (stuck: number, waiting: number, working: number) => ({ stuck, waiting, working })
  const unstored = (total: number, below_target: ReturnType<typeof work> | undefined) => describeUnstored({ total, below_target } as never)
  expect([unstored(0, work(0, 0, 0)), unstored(3, work(0, 0, 0)), unstored(9, work(1, 2, 3)), unstored(3, undefined)]).toEqual([
    'No objects yet',
    'All objects have their copies',
    '1 stuck, 2 waiting, 3 worked on',
    'All objects have their copies',
  ])
  expect([work(1, 2, 3), work(0, 2, 3), work(0, 0, 3), work(0, 0, 0)].map(describeBelowTarget)).toEqual([
    { tone: 'danger', text: '1 stuck, 2 waiting, 3 worked on' },
    { tone: 'warning', text: '2 waiting, 3 worked on' },
    { tone: 'info', text: '3 worked on' },
    { tone: 'success', text: 'None' },
  ])
})

test('the deposit lasts some days, or is used up, or its end is not known', () => {
  expect(
    [
      { level: 'ok', days: 90 },
      { level: 'serious', days: 1 },
      { level: 'empty', days: 0 },
      { level: 'ok', days: null },
      { level: 'unknown', days: null },
    ].map((runway) => describeRunway(runway as Parameters<typeof describeRunway>[0])),
  ).toEqual(['90 days', '1 day', 'Used up', 'Nothing is spent', 'Not known'])
})

test('the state of storage that nothing observes is not shown', () => {
  expect(isObserved({ status: 'unknown', reason_codes: ['copy_observation_missing'] })).toBe(false)
  expect(isObserved({ status: 'unknown', reason_codes: [] })).toBe(false)
  expect(isObserved({ status: 'unknown', reason_codes: ['copy_observation_missing', 'chain_lookup_failed'] })).toBe(true)
  expect(isObserved({ status: 'degraded', reason_codes: ['local_status_not_ready'] })).toBe(true)
})

test('checks with findings come first, in groups, and one line says how all of them ended', () => {
  const check = (name: string) => ({ name }) as Parameters<typeof groupChecks>[0][number]
  const checks = ['kernel.settings', 'storage.heads', 'storage.files', 'replication.copies'].map(check)
  const run = (state: 'finished' | 'running' | 'failed', findings: number) => ({
    ...newRun,
    state,
    findings: Array.from({ length: findings }, () => finding('1')),
  })
  const runs = { 'storage.files': run('finished', 2), 'kernel.settings': run('finished', 0), 'replication.copies': run('running', 0) }
  expect(groupChecks(checks, runs).map(({ group, checks }) => [group, checks.map(({ name }) => name)])).toEqual([
    ['storage', ['storage.files', 'storage.heads']],
    ['kernel', ['kernel.settings']],
    ['replication', ['replication.copies']],
  ])
  expect(summariseRuns(checks, runs)).toBe('1 of 4 checks in order, 1 with findings, 1 running, 1 not run.')
  expect(summariseRuns(checks, {})).toBe('4 checks, none run in this tab.')
})
