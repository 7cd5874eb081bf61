import { expect, test } from 'vitest'
import { describeRule, lifecycleText } from './lifecycle-text-policy.ts'
import { accessText, corsText, quotaText, tagsText } from './setting-text-policy.ts'

const noBlock = { block_public_acls: false, ignore_public_acls: false, block_public_policy: false, restrict_public_buckets: false }
const open = {
  is_public_access_on: true,
  ownership: 'ObjectWriter' as const,
  has_lists: true,
  grants: [
    { grantee: 'owner', permission: 'FULL_CONTROL' as const },
    { grantee: 'everyone', permission: 'READ' as const },
    { grantee: 'id:abc', permission: 'WRITE' as const },
  ],
  block: noBlock,
}

test('access names every grant', () => {
  expect(accessText(open)).toBe(
    `Object ownership: ObjectWriter
Public access block: off
Public lists: allowed by the settings (s3.public_access)
Grants of the bucket; objects have lists of their own
  The owner has full control
  Everyone, without a signature, may list the keys
  The user with the owner ID abc may store and delete objects`,
  )
})

test.each([
  [{ has_lists: false }, 'the object ownership disables lists', 2],
  [{ is_public_access_on: false }, 's3.public_access is off', 1],
  [{ block: { ...noBlock, ignore_public_acls: true } }, 'the public access block ignores it', 1],
  [{ block: { ...noBlock, block_public_acls: true } }, '', 0],
])('with %j grants without effect say why', (changes, cause, count) => {
  const text = accessText({ ...open, ...changes })
  expect([...text.matchAll(/\(no effect: (.+)\)/g)].map(([, why]) => why)).toEqual(Array.from({ length: count }, () => cause))
  expect(text).toContain('The owner has full control\n')
})

test('a public access block that is partly on names its members', () => {
  expect(accessText({ ...open, block: { ...noBlock, block_public_acls: true } })).toContain('block: partly on: block_public_acls\n')
})

test('lifecycle rules are told in words, and texts of clients cannot control the terminal', () => {
  const rules = [
    {
      id: 'logs\u001b[31m',
      enabled: true,
      prefix: 'logs/\n',
      tags: [{ key: 'stage', value: 'old' }],
      size_above: 1024,
      size_below: 2048,
      expire_days: 1,
      noncurrent_days: 7,
      newer_noncurrent_kept: 3,
    },
    { id: 'rest', enabled: false, expire_date: '2030-01-01', abort_upload_days: 2 },
    { id: 'markers', enabled: true, remove_expired_markers: true as const },
  ]
  expect(lifecycleText(rules, { lifecycle_is_on: false, lifecycle_run: null, lifecycle_rest: null })).toBe(
    `The plugin lifecycle is disabled, so the rules rest; enable it with svc plugins enable lifecycle
rule logs [31m: keys that begin with logs/ , tag stage=old, larger than 1.00 KiB, smaller than 2.00 KiB
  objects get a delete marker 1 day after their upload
  noncurrent versions are deleted permanently after 7 days, except the newest 3
rule rest (disabled): all keys
  objects get a delete marker from 2030-01-01 on
  open uploads are aborted 2 days after their start
rule markers: all keys
  delete markers without older versions are removed`,
  )
  expect(describeRule({ enabled: true, expire_days: 2, abort_upload_days: 1 })).toBe(
    'rule without id: all keys (objects get a delete marker 2 days after their upload; open uploads are aborted 1 day after their start)',
  )
})

test('the last run tells what it did, and rules that rest why', () => {
  const run = {
    due_at: '2026-11-29T00:00:00.000Z',
    started_at: '2026-11-29T00:05:00.000Z',
    ended_at: null,
    markers_added: 2,
    versions_deleted: 0,
    markers_deleted: 1,
    uploads_aborted: 3,
  }
  const text = (changes: object, rules: Parameters<typeof lifecycleText>[0] = [{ id: 'a', enabled: true, expire_days: 1 }]) =>
    lifecycleText(rules, { lifecycle_is_on: true, lifecycle_run: run, lifecycle_rest: null, ...changes })
  expect(text({})).toMatch(
    /\nLast run, for 2026-11-29T00:00:00.000Z: delete markers added: 2, delete markers deleted: 1, uploads aborted: 3; it has not ended$/,
  )
  const idle = { ...run, ended_at: run.started_at, markers_added: 0, markers_deleted: 0, uploads_aborted: 0 }
  expect(text({ lifecycle_run: idle }, [])).toMatch(/^No lifecycle rules.*\nLast run, for .*: nothing was deleted$/)
  const until = '2026-11-30T00:00:00.000Z'
  expect(text({ lifecycle_rest: { reason: 'unseen_time', until } })).toMatch(/^The rules rest until 2026-11-30T00:00:00.000Z: time passed/)
  expect(text({ lifecycle_rest: { reason: 'clock_ahead', until: null } })).toMatch(/^The rules rest: the clock of svc is ahead/)
})

test('a quota is beside the use', () => {
  expect(quotaText({ objects: null, bytes: 2 ** 30, usage: { objects: 7, bytes: 2 ** 29 } })).toBe(
    'Object versions: 7, no limit\nSize: 512.00 MiB, limit 1.00 GiB',
  )
})

test('what is not there is said', () => {
  expect(lifecycleText([])).toBe('No lifecycle rules: svc deletes no version by itself.')
  expect(corsText([])).toMatch(/^No CORS rules/)
  expect(tagsText([])).toBe('No tags.')
})
