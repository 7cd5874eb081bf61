import { expect, test } from 'vitest'
import type { StoredProvider } from '#plugins/providers'
import { judgeProvider } from './judge-provider-policy.ts'

const time = { nowMs: 1_000_000, intervalMs: 300_000 }
const read = { readAtMs: time.nowMs, failedAtMs: null }
const provider = {
  providerId: '4',
  isActive: true,
  hasPdp: true,
  isApproved: true,
  problem: null,
  pingedAtMs: time.nowMs,
  pingMs: 20,
  pingFailure: null,
} as StoredProvider
const findings = { provider, score: undefined, missed: undefined, isUnresponsive: false }

test('a missed proof degrades a provider while it is recent; afterwards the history alone shows it', () => {
  const missed = { used: 3, dataSets: 3, missedPeriods: 2, unsettledDataSets: 1 }
  expect(judgeProvider({ ...findings, missed }, read, time)).toMatchObject({
    status: 'degraded',
    reasonCodes: ['provider_missed_proofs'],
    lastError: 'a proof was missed recently for 1 of 3 data sets',
  })
  expect(judgeProvider({ ...findings, missed: { ...missed, unsettledDataSets: 0 } }, read, time)).toMatchObject({
    status: 'available',
    reasonCodes: [],
  })
})
