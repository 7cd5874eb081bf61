/** Clients without credentials do not stop a gateway. `npm run flood` runs the same for longer. */
import { expect, test } from 'vitest'
import { runFlood } from './flood.ts'

const seconds = 20
const residentMibMax = 400
const p99MsMax = 1000

test.skipIf(process.platform !== 'linux')(
  'I-40, I-41: while clients of all kinds attack both listeners, a signed client is answered within a second and memory stays bounded',
  async () => {
    const report = await runFlood(seconds)
    expect(report).toMatchObject({ failures: [], ended: undefined })
    expect(report.requests).toBeGreaterThan(0)
    expect(report.newConnections).toBeGreaterThan(0)
    expect(Object.entries(report.connections).filter(([, count]) => count === 0)).toEqual([])
    expect(report.p99Ms).toBeLessThan(p99MsMax)
    expect(report.peakMib).toBeLessThan(residentMibMax)
  },
  240_000,
)
