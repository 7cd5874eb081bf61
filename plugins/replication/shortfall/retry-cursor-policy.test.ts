import { expect, test } from 'vitest'
import type { WorkPlace } from '../resumption/stuck-works.ts'
import { setWorks } from '../stuck/stuck-sets-store.ts'
import { formatRetryCursor, parseRetryCursor } from './retry-cursor-policy.ts'
import { retryShortfall } from './shortfall-api.ts'

const places: readonly WorkPlace[] = [
  ...setWorks.flatMap((kind) => [
    { kind, after: 0 },
    { kind, after: 99 },
  ]),
  { kind: 'store', after: { bucketId: 0, storeState: '', id: 0 } },
  { kind: 'store', after: { bucketId: 7, storeState: 'unstored', id: 123_456_789 } },
]
const accepts = (cursor: string) => retryShortfall.body.allows({ cursor })

test('every place is a cursor that the endpoint accepts, and the cursor is the place again', () => {
  for (const place of places) {
    const cursor = formatRetryCursor(place) ?? ''
    expect([cursor, accepts(cursor), parseRetryCursor(cursor)]).toEqual([cursor, true, place])
  }
})

test('other texts are refused', () => {
  for (const cursor of [
    '',
    'finality',
    'pull',
    'pull.',
    'pull.x',
    'pull.1.2',
    'drop.1',
    'store.1',
    'store.1.a',
    'store.1.A.2',
    `pull.${'9'.repeat(16)}`,
  ])
    expect([cursor, accepts(cursor)]).toEqual([cursor, false])
})
