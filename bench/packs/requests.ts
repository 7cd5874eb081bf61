// Measures PUT and GET of small objects at a gateway that packs them beside one that does not, alternating within one run. No chain is
// reachable: objects wait, and packs are sealed when they are full.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Gateway, startGateway } from '../bench-server.ts'
import { type BenchRow, median } from '../bench-table.ts'
import { measuring, type ObjectLoad } from '../put-get.ts'
import { compare } from '../rounds.ts'
import { waitForCount } from '../stored-objects.ts'
import { leastMs, objectBytes, openCount } from './scene.ts'

const small = { bytes: objectBytes, connections: 32, objects: 400 }
/** PUTs run last, because each is more work for the gateway later. */
const loads: readonly ObjectLoad[] = [
  { ...small, label: 'GET 4 KiB', method: 'GET', requests: 6000 },
  { ...small, label: 'PUT 4 KiB', method: 'PUT', requests: 1000 },
]
const loadMsMax = 120_000

interface RequestScale {
  readonly rounds: number
  /** Part of the usual number of requests in each round. */
  readonly share: number
}

/** @throws Error when an answer is wrong, or what is read is not packed */
export async function benchRequests(dir: string, { rounds, share }: RequestScale): Promise<readonly BenchRow[]> {
  await mkdir(dir)
  await using off = await startGateway(join(dir, 'off'), { label: 'packing off', settings: { 'packs.default': 'off' } })
  await using small = await startGateway(join(dir, 'small'), { label: 'packing small', settings: { 'packs.default': 'small' } })
  const rows: BenchRow[] = []
  for (const usual of loads) {
    const load = { ...usual, requests: usual.requests * share }
    const measured = measuring(load)
    const prepare: typeof measured.prepare = async (target) => {
      const nextTurn = await measured.prepare(target)
      // The objects that are read are members of a pack, and cached.
      if (load.method === 'GET' && target === small) await seal(small, load.objects)
      return nextTurn
    }
    const compared = { targets: [off, small], gateway: off, rounds }
    const [offRow, smallRow] = await compare({ ...measured, prepare, msMax: loadMsMax }, compared)
    if (offRow && smallRow) rows.push(offRow, smallRow, ratioRow(load, offRow, smallRow))
  }
  return rows
}

async function seal(gateway: Gateway, members: number): Promise<void> {
  await gateway.admin('POST', '/api/v1/packs/seal', { bucket: gateway.bucket })
  using packed = openCount(gateway, 'select count(*) as n from pack_members')
  await waitForCount(packed, members, { withinMs: leastMs, what: 'objects were packed' })
}

function ratioRow({ label }: ObjectLoad, off: BenchRow, small: BenchRow): BenchRow {
  const roundsOf = ({ figures }: BenchRow) => (figures?.rounds ?? []) as readonly number[]
  const ratio = median(roundsOf(small)) / median(roundsOf(off))
  // Other programs of the machine change the rates more than the CPU time.
  const cpuRatio = Number(small.figures?.allCpuMicros) / Number(off.figures?.allCpuMicros)
  return {
    label: `${label} with packing beside without`,
    value: ratio * 100,
    unit: '%',
    note: `of the medians; at least 95; CPU time of the gateway ${cpuRatio.toFixed(2)} ×`,
    figures: { ratio, cpuRatio },
  }
}
