import { expect, test } from 'vitest'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { runChaos } from './chaos-run.ts'

// A short form of `npm run chaos`; each seed has its own network.
test.concurrent.for([1, 2])(
  'I-01 I-04 I-05 I-23: with seed %s, kills and faults at random moments lose no data and add no piece twice',
  { timeout: 400_000 },
  async (seed) => {
    await using network = await startFundedDevnet({ providers: 4 })
    const { problems, answered } = await runChaos({ seed, network })
    expect(problems).toEqual([])
    // A run with few answers proves little.
    expect(answered.put).toBeGreaterThan(5)
  },
)
