// Measures what packing saves and costs on a local devnet: fees from the payments on chain, objects per minute, CPU, and reads of members
// that are not cached. The gateway is a process of its own; the devnet runs in this process, so that its CPU time is not counted.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readAllPayments, sum } from '../../devnet/testing/wallet-money.ts'
import { type FundedDevnet, startFundedDevnet } from '../../e2e/fixtures/gateways/funded-devnet.ts'
import { mib } from '../../e2e/load/resident-memory.ts'
import { devnetSettings, type Gateway, type GatewayOptions, startGateway } from '../bench-server.ts'
import type { BenchRow, BenchTable } from '../bench-table.ts'
import { startMeasuring } from '../pipeline.ts'
import { putObjects, waitForCount } from '../stored-objects.ts'
import { benchColdReads } from './cold-reads.ts'

const copies = 3
const objectBytes = 4096
/** Objects that are stored for reads of members. */
const coldObjectsMax = 16_384
const packing = { 'packs.default': 'small', 'packs.idle': '2s' }
/** Members are read from providers, as after a time in which others were read. */
const evicting = { 'cache.eviction_policy': 'after_upload' }
/** An object with three copies must not take longer than this on average. */
const objectMsMax = 250
const leastMs = 300_000

export interface PackingScale {
  /** Objects that are packed. */
  readonly objects?: number | undefined
  /** Objects that become pieces of their own. */
  readonly single?: number | undefined
  /** Members that are read while they are not cached. */
  readonly reads?: number | undefined
}

interface Stored {
  readonly fee: number
  readonly perMinute: number
  readonly cpuMs: number
  readonly peakBytes: number
  readonly pieces: number
}

/** About ten minutes for 100,000 objects. Linux only. @throws Error when objects are not stored in time, or a read is wrong */
export async function benchPacking({ objects = 100_000, single = 1000, reads = 1000 }: PackingScale = {}): Promise<BenchTable> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-packing-'))
  try {
    const alone = await withGateway(join(dir, 'single'), {}, (scene) => store(scene, single))
    const packed = await withGateway(join(dir, 'packed'), packing, (scene) => store(scene, objects))
    const coldRows = await withGateway(join(dir, 'cold'), { ...packing, ...evicting }, (scene) =>
      benchColdReads(scene, { objects: Math.min(objects, coldObjectsMax), reads }),
    )
    return {
      name: `packing: ${objects} objects of ${objectBytes} bytes to ${copies} copies, beside ${single} as pieces of their own`,
      rows: [...storedRows(alone, packed), ...coldRows],
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

interface Scene {
  readonly network: FundedDevnet
  readonly gateway: Gateway
}

async function withGateway<T>(dir: string, settings: GatewayOptions['settings'], run: (scene: Scene) => Promise<T>): Promise<T> {
  await using network = await startFundedDevnet({ providers: copies, blockTimeSeconds: 1 })
  await using gateway = await startGateway(dir, {
    settings: {
      ...devnetSettings(network, copies),
      ...settings,
    },
  })
  return await run({ network, gateway })
}

/** Waits until this many contents with versions are stored. Read in the database file, which costs the gateway no CPU. */
async function waitForStored({ dir }: Gateway, wanted: number, withinMs: number): Promise<void> {
  using database = new DatabaseSync(join(dir, 'db', 'svc.db'), { readOnly: true })
  const count = database.prepare("select count(*) as n from contents where ref_count > 0 and store_state = 'stored'")
  await waitForCount(() => Number(count.get()?.n), wanted, { withinMs, what: 'objects were stored' })
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
