/** `npm run sizes -- [--object-mib N] [--cache-gib N] [--copies N]`: an object larger than the cache. Exit code 1 when a problem was found. */
import { parseArgs } from 'node:util'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { readCount } from '../fixtures/read-count.ts'
import { mib } from '../load/resident-memory.ts'
import { storeLargeObject } from './large-object.ts'

const { values } = parseArgs({
  options: {
    'object-mib': { type: 'string', default: '5120' },
    'cache-gib': { type: 'string', default: '4' },
    copies: { type: 'string', default: '2' },
  },
})
const growthMibMax = 100

let growthMib = 0
await using network = await startFundedDevnet({ providers: 3 })
const problems = await storeLargeObject({
  network,
  objectBytes: readCount('--object-mib', values['object-mib']) * mib,
  cacheGib: readCount('--cache-gib', values['cache-gib']),
  copies: readCount('--copies', values.copies),
  onStep({ step, seconds, peakMib, cacheMib }) {
    if (step !== 'at rest') growthMib = Math.max(growthMib, peakMib)
    const figures = [`${seconds.toFixed(1)} s`, `memory ${peakMib.toFixed(1)} MiB`, `cache ${cacheMib.toFixed(1)} MiB`]
    process.stdout.write(`${step.padEnd(30)} ${figures.map((text) => text.padStart(20)).join('')}\n`)
  },
})
process.stdout.write(`${problems.length} problems; the resident memory grew by at most ${growthMib.toFixed(1)} MiB\n`)
for (const problem of problems) process.stdout.write(`${problem}\n`)
process.exitCode = problems.length > 0 || growthMib > growthMibMax ? 1 : 0
