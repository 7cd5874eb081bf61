import { expect, test } from 'vitest'
import { judgeDataSet } from '../buckets/storage-health-policy.ts'
import { judgeChain } from './judge-chain-policy.ts'

test('a data set under creation is unknown, not unavailable', () => {
  expect(judgeDataSet({ status: 'creating' }).status).toBe('unknown')
})

test.each([
  [new Map(), 'ok', []],
  [new Map([['ready', 2]] as const), 'warning', ['no_state_recorded']],
  [
    new Map([
      ['ready', 2],
      ['unavailable', 1],
    ] as const),
    'blocking',
    ['no_state_recorded'],
  ],
])('the data sets %o are of level %s', (counts, level, warnings) => {
  expect(judgeChain(counts)).toMatchObject({
    level,
    providers: null,
    data_sets: { summary_signal: { level, freshness: { stale: false, warnings } } },
    partial_errors: {},
  })
})

test('data sets that cannot be read are a warning', () => {
  expect(judgeChain(undefined)).toMatchObject({
    level: 'warning',
    data_sets: null,
    partial_errors: { observability_data_sets: expect.any(String) },
  })
})
