import { expect, test } from 'vitest'
import { actionsOf, type RuleDraft, readDraft, scopeOf } from './lifecycle-texts.ts'

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
