import { expect, test } from 'vitest'
import { evaluateReadConditions, evaluateWriteConditions, type ReadConditions } from './conditions.ts'

const now = Date.UTC(2026, 0, 10)
const stored = { etag: 'abc', lastModifiedMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678) }
const before = 'Fri, 02 Jan 2026 03:04:04 GMT'
const same = 'Fri, 02 Jan 2026 03:04:05 GMT'
const future = 'Fri, 02 Jan 2099 00:00:00 GMT'

const reads: [string, ReadConditions, string][] = [
  ['no condition', {}, 'proceed'],
  ['If-Match that holds', { ifMatch: '"abc"' }, 'proceed'],
  ['If-Match without quotes', { ifMatch: 'abc' }, 'proceed'],
  ['If-Match with a list', { ifMatch: '"x", "abc"' }, 'proceed'],
  ['If-Match with a star', { ifMatch: '*' }, 'proceed'],
  ['If-Match that fails', { ifMatch: '"x"' }, 'If-Match'],
  ['If-Match that holds, before a failing If-Unmodified-Since', { ifMatch: '"abc"', ifUnmodifiedSince: before }, 'proceed'],
  ['If-Unmodified-Since that fails', { ifUnmodifiedSince: before }, 'If-Unmodified-Since'],
  ['If-Unmodified-Since at the same second', { ifUnmodifiedSince: same }, 'proceed'],
  ['If-Unmodified-Since without a valid date', { ifUnmodifiedSince: 'soon' }, 'proceed'],
  ['If-None-Match that matches', { ifNoneMatch: '"abc"' }, 'not-modified'],
  ['If-None-Match with a star', { ifNoneMatch: '*' }, 'not-modified'],
  ['If-None-Match that does not match, before If-Modified-Since', { ifNoneMatch: '"x"', ifModifiedSince: same }, 'proceed'],
  ['If-Modified-Since at the same second', { ifModifiedSince: same }, 'not-modified'],
  ['If-Modified-Since before the change', { ifModifiedSince: before }, 'proceed'],
  ['If-Modified-Since in the future', { ifModifiedSince: future }, 'proceed'],
  ['If-Modified-Since as ISO date', { ifModifiedSince: '2026-01-02T03:04:05Z' }, 'not-modified'],
]

test.each(reads)('read with %s', (_, conditions, expected) => {
  const result = evaluateReadConditions(conditions, stored, now)
  expect(result.kind === 'failed' ? result.condition : result.kind).toBe(expected)
})

test.each([
  ['no condition', {}, 'abc', 'proceed'],
  ['If-None-Match * on an absent key', { ifNoneMatch: '*' }, undefined, 'proceed'],
  ['If-None-Match * on an existing key', { ifNoneMatch: '*' }, 'abc', 'If-None-Match'],
  ['If-None-Match with the same tag', { ifNoneMatch: '"abc"' }, 'abc', 'If-None-Match'],
  ['If-None-Match with another tag', { ifNoneMatch: '"x"' }, 'abc', 'proceed'],
  ['If-Match on an absent key', { ifMatch: '*' }, undefined, 'absent'],
  ['If-Match that holds', { ifMatch: '"abc"' }, 'abc', 'proceed'],
  ['If-Match that fails', { ifMatch: '"x"' }, 'abc', 'If-Match'],
  ['both, the second failing', { ifMatch: '"abc"', ifNoneMatch: '*' }, 'abc', 'If-None-Match'],
] as const)('write with %s', (_, conditions, etag, expected) => {
  const result = evaluateWriteConditions(conditions, etag)
  expect(result.kind === 'failed' ? result.condition : result.kind).toBe(expected)
})
