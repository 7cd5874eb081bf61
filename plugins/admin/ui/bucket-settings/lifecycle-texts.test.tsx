import { expect, test } from 'vitest'
import { actionsOf, lastRunOf, type RuleDraft, readDraft, restOf, scopeOf } from './lifecycle-texts.ts'

const empty: RuleDraft = { prefix: '', expireDays: '', noncurrentDays: '', newerKept: '', abortDays: '' }

test('empty fields are not part of the rule', () => {
  expect(readDraft({ ...empty, expireDays: ' 30 ' })).toEqual({ rule: { enabled: true, expire_days: 30 } })
  expect(readDraft({ prefix: 'a/ ', expireDays: '', noncurrentDays: '7', newerKept: '3', abortDays: '2' })).toEqual({
    rule: { enabled: true, prefix: 'a/ ', noncurrent_days: 7, newer_noncurrent_kept: 3, abort_upload_days: 2 },
  })
})

test.each([
  [{}, 'Say after how many days'],
  [{ prefix: 'a/' }, 'Say after how many days'],
  [{ expireDays: '0' }, '"0" must be a whole number from 1'],
  [{ expireDays: '1.5' }, '"1.5" must be'],
  [{ abortDays: '-1' }, '"-1" must be'],
  [{ expireDays: '2147483648' }, '"2147483648" must be'],
  [{ noncurrentDays: '1', newerKept: '101' }, '"101" must be a whole number from 1 to 100.'],
  [{ expireDays: '1', newerKept: '2' }, 'the number to keep belongs to that'],
])('%o is no rule', (fields, problem) => {
  expect(readDraft({ ...empty, ...fields })).toEqual({ problem: expect.stringContaining(problem) })
})

test('a rule is said in words, with everything that narrows it', () => {
  const rule = {
    enabled: true,
    prefix: 'logs/',
    tags: [{ key: 'a', value: 'b' }],
    size_above: 1024,
    noncurrent_days: 1,
    newer_noncurrent_kept: 5,
  }
  expect(scopeOf(rule)).toBe('Keys that begin with logs/, tag a=b, larger than 1.0 KiB')
  expect(scopeOf({ enabled: true })).toBe('All keys')
  expect(actionsOf(rule)).toEqual([
    'Earlier versions are deleted permanently 1 day after they were replaced or deleted; the newest 5 of them stay.',
  ])
  expect(actionsOf({ enabled: true, expire_days: 30, abort_upload_days: 7 })).toHaveLength(2)
  expect(actionsOf({ enabled: true, remove_expired_markers: true })).toEqual(['Delete markers without earlier versions are removed.'])
  expect(actionsOf({ enabled: true, expire_date: '2030-01-01' })).toEqual(['Objects are moved to the trash from 2030-01-01 on.'])
})

test('the last run says what it did', () => {
  const run = { due_at: '2026-11-29T00:00:00Z', started_at: '2026-11-29T00:05:00Z', ended_at: '2026-11-29T00:06:00Z' }
  const none = { markers_added: 0, versions_deleted: 0, markers_deleted: 0, uploads_aborted: 0 }
  expect(lastRunOf({ ...run, ...none })).toMatch(/^Last run, for .*2026.*: nothing was deleted\.$/)
  expect(lastRunOf({ ...run, ended_at: null, markers_added: 1, versions_deleted: 2000, markers_deleted: 3, uploads_aborted: 4 })).toMatch(
    /^The run for .*2026.* has not ended: 1 object moved to the trash, 2,000 versions deleted permanently, 3 delete markers removed, 4 uploads aborted\.$/,
  )
})

test('rules that rest say why', () => {
  const settings = { lifecycle_is_on: true, lifecycle_rest: null } as Parameters<typeof restOf>[0]
  expect(restOf(settings)).toBeUndefined()
  expect(restOf({ ...settings, lifecycle_is_on: false })).toBe('The rules rest: the plugin lifecycle is disabled.')
  expect(restOf({ ...settings, lifecycle_rest: { reason: 'clock_ahead', until: null } })).toMatch(
    /ahead of that of the database\. Set both\.$/,
  )
  expect(restOf({ ...settings, lifecycle_rest: { reason: 'unseen_time', until: '2026-11-30T00:00:00Z' } })).toMatch(
    /^The rules rest until .*2026.*: time passed/,
  )
})
