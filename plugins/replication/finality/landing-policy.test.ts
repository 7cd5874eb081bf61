import { expect, test } from 'vitest'
import type { NonceOutcome } from '#plugins/providers'
import { judgeLanding, type LandingVerdict, type NonceReads, nextCheckEpochs } from './landing-policy.ts'

const landing = { dataSetId: 7n, nextPieceId: 6n, epoch: 100n }
const same = { landed: true, dataSetId: 7n, nextPieceId: 6n } as const
const none: NonceOutcome = { landed: false }

const cases: readonly (readonly [string, NonceReads, LandingVerdict])[] = [
  ['the same at both depths', { confirmed: same, finalized: same, confirmedEpoch: 110n }, 'final'],
  ['the same at the confirmed epoch only', { confirmed: same, finalized: none, confirmedEpoch: 110n }, 'confirmed'],
  ['unused', { confirmed: none, finalized: none, confirmedEpoch: 101n }, 'missing'],
  ['unused at a node that is behind the landing', { confirmed: none, finalized: none, confirmedEpoch: 100n }, 'stale'],
  ['used for other piece ids', { confirmed: { ...same, nextPieceId: 8n }, finalized: none, confirmedEpoch: 110n }, 'missing'],
  ['used for another data set', { confirmed: { ...same, dataSetId: 8n }, finalized: none, confirmedEpoch: 110n }, 'missing'],
  ['unused at the confirmed epoch and used at the finalized one', { confirmed: none, finalized: same, confirmedEpoch: 110n }, 'missing'],
]

test.each(cases)('a nonce that is %s', (_what, reads, verdict) => {
  expect(judgeLanding(landing, reads)).toBe(verdict)
})

test('a landing that an earlier version recorded without piece ids and epoch is compared by data set only', () => {
  const old = { dataSetId: 7n, nextPieceId: null, epoch: null }
  expect(judgeLanding(old, { confirmed: same, confirmedEpoch: 1n, finalized: same })).toBe('final')
  expect(judgeLanding(old, { confirmed: none, confirmedEpoch: 1n, finalized: none })).toBe('missing')
})

test('pauses double, and the last one ends when the landing reaches the finalized epoch', () => {
  const pauses: number[] = []
  for (let left = 895, checks = 0; left > 0; checks++) {
    const pause = nextCheckEpochs({ checks, epochsLeft: left })
    pauses.push(pause)
    left -= pause
  }
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 240, 240, 100])
  expect(nextCheckEpochs({ checks: 0, epochsLeft: 2 })).toBe(2)
  expect([0, 1, 500].map((checks) => nextCheckEpochs({ checks, epochsLeft: 0 }))).toEqual([1, 2, 240])
})
