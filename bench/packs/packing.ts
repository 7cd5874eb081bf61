// Measures what packing saves and costs on a local devnet: fees from the payments on chain, objects per minute, CPU, and reads of members
// that are not cached. The gateway is a process of its own; the devnet runs in this process, so that its CPU time is not counted.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAllPayments, sum } from '../../devnet/testing/wallet-money.ts'
import type { FundedDevnet } from '../../e2e/fixtures/gateways/funded-devnet.ts'
import { mib } from '../../e2e/load/resident-memory.ts'
import type { BenchRow, BenchTable } from '../bench-table.ts'
import { startMeasuring } from '../pipeline.ts'
import { putObjects } from '../stored-objects.ts'
import { benchColdReads } from './cold-reads.ts'
import { benchQueued } from './queued.ts'
import { benchRequests } from './requests.ts'
import { copies, leastMs, objectBytes, type Scene, waitForStored, withGateway } from './scene.ts'

/** Objects that are stored for reads of members. */
const coldObjectsMax = 16_384
const packing = { 'packs.default': 'small', 'packs.idle': '2s' }
/** Members are read from providers, as after a time in which others were read. */
const evicting = { 'cache.eviction_policy': 'after_upload' }
/** An object with three copies must not take longer than this on average. */
const objectMsMax = 250

export interface PackingScale {
  /** Objects that are packed. */
  readonly objects?: number | undefined
  /** Objects that become pieces of their own. */
  readonly single?: number | undefined
  /** Members that are read while they are not cached. */
  readonly reads?: number | undefined
  /** Objects that are put while every provider refuses uploads. */
  readonly queued?: number | undefined
  /** Rounds in which requests to a gateway with packing and to one without it alternate. */
  readonly rounds?: number | undefined
  /** Part of the usual number of these requests in a round. */
  readonly share?: number | undefined
  /** Only parts whose name matches this regular expression: fees, cold, queued, requests. */
  readonly only?: string | undefined
}

interface Stored {
  readonly fee: number
  readonly perMinute: number
  readonly cpuMs: number
  readonly peakBytes: number
  readonly pieces: number
}

/** About ten minutes for 100,000 objects. Linux only. @throws Error when objects are not stored in time, or a read is wrong */
export async function benchPacking({
  objects = 100_000,
  single = 1000,
  reads = 1000,
  queued = 20_000,
  rounds = 12,
  share = 1,
  only = '',
}: PackingScale = {}): Promise<BenchTable> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-packing-'))
  const parts: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
    fees: async () =>
      storedRows(
        await withGateway(join(dir, 'single'), {}, (scene) => store(scene, single)),
        await withGateway(join(dir, 'packed'), packing, (scene) => store(scene, objects)),
      ),
    cold: () =>
      withGateway(join(dir, 'cold'), { ...packing, ...evicting }, (scene) =>
        benchColdReads(scene, { objects: Math.min(objects, coldObjectsMax), reads }),
      ),
    queued: () => benchQueued(join(dir, 'queued'), queued),
    requests: () => benchRequests(join(dir, 'requests'), { rounds, share }),
  }
  try {
    const rows: BenchRow[] = []
    const wanted = new RegExp(only)
    for (const [name, measure] of Object.entries(parts)) if (wanted.test(name)) rows.push(...(await measure()))
    return {
      name: `packing: ${objects} objects of ${objectBytes} bytes to ${copies} copies, beside ${single} as pieces of their own`,
      rows,
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** What the wallet has paid at once so far, in 10^-18 USDFC. */
async function paidAtOnce({ devnet, payer }: FundedDevnet): Promise<bigint> {
  const payments = await readAllPayments(devnet, payer, BigInt(await devnet.chain.epoch()))
  return sum(payments.filter(({ kind }) => kind === 'one_time').map(({ amount }) => amount))
}

const piecesIn = ({ devnet }: FundedDevnet): number =>
  devnet.addPiecesTransactions().reduce((count, { pieceCids }) => count + pieceCids.length, 0)

async function store({ network, gateway }: Scene, objects: number): Promise<Stored> {
  // The first object creates the data sets, which is not part of the measurement.
  await putObjects(gateway, { objects: 1, bytes: objectBytes })
  await waitForStored(gateway, 1, leastMs)
  const [paid, pieces] = [await paidAtOnce(network), piecesIn(network)]
  const measure = await startMeasuring(gateway)
  const startMs = performance.now()
  await putObjects(gateway, { objects, bytes: objectBytes })
  await waitForStored(gateway, objects + 1, Math.max(leastMs, objects * objectMsMax))
  const tookMs = performance.now() - startMs
  const { cpuMs, peakBytes } = await measure(objects)
  // Only the quotient is inexact.
  const fee = Number((await paidAtOnce(network)) - paid) / 1e18 / objects
  return { fee, cpuMs, peakBytes, perMinute: (objects * 60_000) / tookMs, pieces: piecesIn(network) - pieces }
}

const storedRows = (alone: Stored, packed: Stored): readonly BenchRow[] => [
  {
    label: 'fees per 1,000 single objects',
    value: alone.fee * 1000,
    unit: 'USDFC',
    note: `${alone.pieces} pieces; from the payments on chain`,
  },
  {
    label: 'fees per 1,000 packed objects',
    value: packed.fee * 1000,
    unit: 'USDFC',
    note: `${packed.pieces} pieces; 1/${(alone.fee / packed.fee).toFixed(0)}`,
    figures: { single: alone.fee * 1000, packed: packed.fee * 1000 },
  },
  { label: 'single objects with 3 copies', value: alone.perMinute, unit: '/min' },
  {
    label: 'packed objects with 3 copies',
    value: packed.perMinute,
    unit: '/min',
    note: `${(packed.perMinute / alone.perMinute).toFixed(1)} ×`,
  },
  { label: 'gateway CPU per single object', value: alone.cpuMs, unit: 'ms' },
  { label: 'gateway CPU per packed object', value: packed.cpuMs, unit: 'ms', note: `${(packed.cpuMs / alone.cpuMs).toFixed(2)} ×` },
  { label: 'peak memory while packing', value: packed.peakBytes / mib, unit: 'MiB' },
]
