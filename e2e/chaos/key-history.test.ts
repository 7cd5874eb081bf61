import { expect, test } from 'vitest'
import { bodyOf } from '../fixtures/body.ts'
import { KeyHistory, type SeenVersion } from './key-history.ts'

const body = bodyOf(Buffer.from('some bytes'))
const other = bodyOf(Buffer.from('other bytes'))
const data = (versionId: string, { etag } = body): SeenVersion => ({
  versionId,
  isDeleteMarker: false,
  etag,
})
const marker = (versionId: string): SeenVersion => ({ versionId, isDeleteMarker: true, etag: '' })

function historyOf(...versionIds: readonly string[]): KeyHistory {
  const history = new KeyHistory('k')
  for (const versionId of versionIds.toReversed()) history.added({ versionId, body })
  return history
}

test.each([
  ['the expected versions', [data('b'), data('a')], 0],
  ['a lost version', [data('b')], 1],
  ['another order', [data('a'), data('b')], 1],
  ['an unexpected version', [data('c'), data('b'), data('a')], 1],
  ['other bytes', [data('b', other), data('a')], 1],
  ['a delete marker instead of bytes', [marker('b'), data('a')], 1],
])('a listing with %s has this many problems', (_what, seen, problems) => {
  expect(historyOf('b', 'a').reconcile(seen)).toHaveLength(problems)
})

test.each([
  ['no new version', [data('a')], ['a']],
  ['the new version', [data('x', other), data('a')], ['x', 'a']],
])('after an unanswered PUT a listing with %s is accepted', (_what, seen, versions) => {
  const history = historyOf('a')
  history.recordUnanswered({ kind: 'added', body: other })
  expect(history.reconcile(seen)).toEqual([])
  expect(history.versions.map(({ versionId }) => versionId)).toEqual(versions)
  expect(history.hasUnanswered).toBe(false)
})

test('after an unanswered PUT other bytes are a problem', () => {
  const history = historyOf('a')
  history.recordUnanswered({ kind: 'added', body: other })
  expect(history.reconcile([data('x'), data('a')])).toHaveLength(1)
})

test('an unanswered deletion removes all named versions or none', () => {
  const history = historyOf('c', 'b', 'a')
  history.recordUnanswered({ kind: 'removed', versionIds: ['c', 'b'] })
  expect(history.reconcile([data('b'), data('a')])).toHaveLength(1)
  history.recordUnanswered({ kind: 'removed', versionIds: ['c', 'b'] })
  expect(history.reconcile([data('a')])).toEqual([])
})
