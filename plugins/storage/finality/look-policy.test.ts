import { expect, test } from 'vitest'
import type { NonceOutcome } from '../chain/nonce-policy.ts'
import { judgeLook, type Look, type LookVerdict, nextLookEpochs } from './look-policy.ts'

const landing = { dataSetId: 7n, nextPieceId: 6n, epoch: 100n }
const same = { landed: true, dataSetId: 7n, nextPieceId: 6n } as const
const none: NonceOutcome = { landed: false }

const cases: readonly (readonly [string, Look, LookVerdict])[] = [
  ['named at both depths', { confirmed: same, finalized: same, confirmedEpoch: 110n }, 'final'],
  ['named behind the confirmations only', { confirmed: same, finalized: none, confirmedEpoch: 110n }, 'stands'],
  ['unused', { confirmed: none, finalized: none, confirmedEpoch: 101n }, 'vanished'],
  ['unused, by a node that is behind the landing', { confirmed: none, finalized: none, confirmedEpoch: 100n }, 'stale'],
  ['used for other piece ids', { confirmed: { ...same, nextPieceId: 8n }, finalized: none, confirmedEpoch: 110n }, 'vanished'],
  ['used for another data set', { confirmed: { ...same, dataSetId: 8n }, finalized: none, confirmedEpoch: 110n }, 'vanished'],
  ['unused after it was final', { confirmed: none, finalized: same, confirmedEpoch: 110n }, 'vanished'],
]

test.each(cases)('a nonce that is %s', (_what, look, verdict) => {
  expect(judgeLook(landing, look)).toBe(verdict)
})

test('a landing that an earlier version recorded without piece ids and epoch needs the data set alone', () => {
  const old = { dataSetId: 7n, nextPieceId: null, epoch: null }
  expect(judgeLook(old, { confirmed: same, confirmedEpoch: 1n, finalized: same })).toBe('final')
  expect(judgeLook(old, { confirmed: none, confirmedEpoch: 1n, finalized: none })).toBe('vanished')
})

test('pauses grow and end where the landing comes to the finalized epoch', () => {
  const pauses: number[] = []
  for (let left = 895, looks = 0; left > 0; looks++) {
    const pause = nextLookEpochs({ looks, epochsLeft: left })
    pauses.push(pause)
    left -= pause
  }
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 240, 240, 100])
  expect(nextLookEpochs({ looks: 0, epochsLeft: 2 })).toBe(2)
  expect([0, 1, 500].map((looks) => nextLookEpochs({ looks, epochsLeft: 0 }))).toEqual([1, 2, 240])
})
