import { expect, test } from 'vitest'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { runChaos } from './chaos-run.ts'

// A short form of `npm run chaos -- --sizes packed`.
test('I-02 I-05 I-20: with kills, faults, seals, compactions and packing of stored objects at random moments no data is lost or paid twice', {
  timeout: 500_000,
}, async () => {
  await using network = await startFundedDevnet({ providers: 4 })
  const { problems, answered } = await runChaos({ seed: 205, network, sizes: 'packed' })
  expect(problems).toEqual([])
  // A run with few answers proves little.
  expect(answered.put).toBeGreaterThan(5)
  const asked = ['packing on', 'packing off', 'pack stored', 'seal', 'compact'].reduce((sum, name) => sum + (answered[name] ?? 0), 0)
  expect(asked).toBeGreaterThan(0)
})
