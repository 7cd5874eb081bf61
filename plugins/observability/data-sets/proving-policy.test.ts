import { expect, test } from 'vitest'
import { isMissRecent, judgeProving, type ProvingReads, type ProvingRecord } from './proving-policy.ts'

/** Periods of 10 epochs from epoch 100. */
const time = (epoch: number) => ({ epoch, periodEpochs: 10, keptPeriods: 42 })
const reads = (more: Partial<ProvingReads> = {}): ProvingReads => ({
  activation: 100,
  deadline: 120,
  isProvenThisPeriod: false,
  lastProven: 109,
  ...more,
})
const record = (more: Partial<ProvingRecord> = {}): ProvingRecord => ({
  activation: 100,
  deadline: 120,
  owedSince: null,
  nextPeriod: 1,
  ...more,
})

test('a fresh or an empty data set owes nothing', () => {
  const nothing = { state: 'not_started', nextDue: null, owedSince: null, periods: null }
  expect(judgeProving(reads({ activation: 0, deadline: null }), undefined, time(115))).toEqual(nothing)
  expect(judgeProving(reads({ deadline: null }), record({ owedSince: 105 }), time(115))).toEqual(nothing)
})

test.each([
  ['within its period', reads(), 115, { state: 'due', nextDue: 120, owedSince: null }],
  ['proven', reads({ isProvenThisPeriod: true, lastProven: 114 }), 116, { state: 'proven', nextDue: 130, owedSince: null }],
  ['at its deadline', reads(), 120, { state: 'due', nextDue: 120 }],
  ['after its deadline', reads(), 121, { state: 'overdue', nextDue: 130, owedSince: 109 }],
  [
    'proven, and its provider has not begun the next period',
    reads({ isProvenThisPeriod: true, lastProven: 114 }),
    125,
    { state: 'proven' },
  ],
  [
    'proven, and the next period has passed too',
    reads({ isProvenThisPeriod: true, lastProven: 114 }),
    131,
    { state: 'overdue', owedSince: 114 },
  ],
] as const)('a data set that is %s', (_what, given, epoch, verdict) => {
  expect(judgeProving(given, record(), time(epoch))).toMatchObject(verdict)
})

test('a new period alone does not end a missed proof: only a later proof does', () => {
  const missed = record({ owedSince: 109 })
  expect(judgeProving(reads({ deadline: 140 }), missed, time(132))).toMatchObject({ state: 'overdue', owedSince: 109 })
  expect(judgeProving(reads({ deadline: 140, isProvenThisPeriod: true, lastProven: 136 }), missed, time(137))).toMatchObject({
    state: 'proven',
    owedSince: null,
  })
})

test('ended periods are read once, and of a first look the kept ones', () => {
  expect(judgeProving(reads(), record({ nextPeriod: 1 }), time(131)).periods).toEqual({ next: 1, last: 2 })
  expect(judgeProving(reads({ deadline: 620 }), undefined, time(615)).periods).toEqual({ next: 9, last: 50 })
})

test('the periods in which a data set was empty are no missed ones', () => {
  expect(judgeProving(reads({ deadline: 200 }), record({ deadline: null, nextPeriod: null }), time(195)).periods).toEqual({
    next: 9,
    last: 8,
  })
})

test.each([
  [0, 0, false],
  [1, 0, true],
  [1, 2, true],
  [1, 3, false],
  [5, 40, false],
  [5, 1, true],
])('%i missed periods with %i proven ones since the last are recent: %s', (missedPeriods, provenSinceMissed, isRecent) => {
  expect(isMissRecent({ missedPeriods, provenSinceMissed })).toBe(isRecent)
})
