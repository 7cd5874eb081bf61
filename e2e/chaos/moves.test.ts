import { expect, test } from 'vitest'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { movedProviders, runChaos } from './chaos-run.ts'

// A short form of `npm run chaos -- --moves`.
test('I-01 I-04 I-48: replacements and repairs between kills and faults lose no data, and leave one service for each replica', {
  timeout: 1_200_000,
}, async () => {
  const seed = 6
  await using network = await startFundedDevnet({ providers: movedProviders })
  const { problems, answered } = await runChaos({ seed, network, hasMoves: true, kills: 1 })
  expect(problems).toEqual([])
  // A run without a move, and without a repair, proves little.
  expect(answered['completed replacement']).toBeGreaterThan(0)
  expect(answered['ended service']).toBe(1)
  expect(answered['completed repair'], JSON.stringify(answered)).toBeGreaterThan(0)
})
