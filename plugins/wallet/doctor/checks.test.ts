import { expect, test } from 'vitest'
import { clockCheck, judgeClock } from './checks.ts'

const epochMs = 30_000

test.for([
  { aheadMs: 0, found: undefined },
  { aheadMs: 5 * epochMs, found: undefined },
  { aheadMs: -30_000, found: undefined },
  { aheadMs: 20 * epochMs, found: 'the clock is 600 s ahead of the newest block of the chain' },
  { aheadMs: -120_000, found: 'the clock is 120 s behind the newest block of the chain' },
])('a clock that is $aheadMs ms ahead of the newest block', ({ aheadMs, found }) => {
  const findings = judgeClock(aheadMs, epochMs)
  expect(findings.map(({ severity, message }) => [severity, message])).toEqual(found === undefined ? [] : [['warning', found]])
})

test('a node of another chain is an error, and its block time is not compared', async () => {
  const chain = {
    network: { chainId: 314, epochSeconds: 30 },
    reportedChainId: async () => 314_159,
    publicClient: { getBlock: async () => ({ timestamp: 0n }) },
  }
  const { findings } = await clockCheck.look({ chain, clock: { now: () => 0 } } as never, {} as never)
  expect(findings).toMatchObject([{ severity: 'error', message: 'the node serves chain 314159 instead of 314' }])
})
