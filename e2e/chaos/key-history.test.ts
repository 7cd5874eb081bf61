import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { KeyHistory, type SeenVersion } from './key-history.ts'

const bytes = Buffer.from('some bytes')
const other = Buffer.from('other bytes')
const data = (versionId: string, content = bytes): SeenVersion => ({
  versionId,
  isDeleteMarker: false,
  etag: createHash('md5').update(content).digest('hex'),
})
const marker = (versionId: string): SeenVersion => ({ versionId, isDeleteMarker: true, etag: '' })

function historyOf(...versionIds: readonly string[]): KeyHistory {
  const history = new KeyHistory('k')
  for (const versionId of versionIds.toReversed()) history.added({ versionId, bytes })
  return history
}

test.each([
  ['what it was told', [data('b'), data('a')], 0],
  ['a lost version', [data('b')], 1],
  ['another order', [data('a'), data('b')], 1],
  ['a version that came by itself', [data('c'), data('b'), data('a')], 1],
  ['other bytes', [data('b', other), data('a')], 1],
  ['a marker instead of bytes', [marker('b'), data('a')], 1],
])('a listing with %s has this many problems', (_what, seen, problems) => {
  expect(historyOf('b', 'a').reconcile(seen)).toHaveLength(problems)
})

test.each([
  ['nothing', [data('a')], ['a']],
  ['the new version', [data('x', other), data('a')], ['x', 'a']],
])('after an unanswered PUT %s may have happened', (_what, seen, versions) => {
  const history = historyOf('a')
  history.unheard({ kind: 'added', bytes: other })
  expect(history.reconcile(seen)).toEqual([])
  expect(history.versions.map(({ versionId }) => versionId)).toEqual(versions)
  expect(history.isUnsure).toBe(false)
})

test('after an unanswered PUT other bytes are a problem', () => {
  const history = historyOf('a')
  history.unheard({ kind: 'added', bytes: other })
  expect(history.reconcile([data('x'), data('a')])).toHaveLength(1)
})

test('a deletion that was not answered removes all it named or nothing', () => {
  const history = historyOf('c', 'b', 'a')
  history.unheard({ kind: 'removed', versionIds: ['c', 'b'] })
  expect(history.reconcile([data('b'), data('a')])).toHaveLength(1)
  history.unheard({ kind: 'removed', versionIds: ['c', 'b'] })
  expect(history.reconcile([data('a')])).toEqual([])
})
