// Measures what packing saves and costs on a local devnet: fees from the payments on chain, objects per minute, CPU, and reads of members
// that are not cached. The gateway is a process of its own; the devnet runs in this process, so that its CPU time is not counted.
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readAllPayments, sum } from '../../devnet/testing/wallet-money.ts'
import { deleteCachedFiles } from '../../e2e/fixtures/cached-files.ts'
import { type FundedDevnet, startFundedDevnet } from '../../e2e/fixtures/gateways/funded-devnet.ts'
import { mib } from '../../e2e/load/resident-memory.ts'
import { signedRequest } from '../../plugins/s3/testing/signed-request.ts'
import { devnetSettings, type Gateway, startGateway } from '../bench-server.ts'
import type { BenchRow, BenchTable } from '../bench-table.ts'
import { startMeasuring } from '../pipeline.ts'
import { RawConnection } from '../raw-connection.ts'
import { putObjects, waitForCount } from '../stored-objects.ts'

const copies = 3
const objectBytes = 4096
const readersAtOnce = 4
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
    const alone = await withGateway(join(dir, 'single'), 'off', (scene) => store(scene, single))
    const { packed, cold } = await withGateway(join(dir, 'packed'), 'small', async (scene) => {
      const packed = await store(scene, objects)
      return { packed, cold: await readCold(scene, reads) }
    })
    return {
      name: `packing: ${objects} objects of ${objectBytes} bytes to ${copies} copies, beside ${single} as pieces of their own`,
      rows: [...storedRows(alone, packed), ...coldRows(cold)],
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

interface Scene {
  readonly network: FundedDevnet
  readonly gateway: Gateway
}

async function withGateway<T>(dir: string, packing: 'off' | 'small', run: (scene: Scene) => Promise<T>): Promise<T> {
  await using network = await startFundedDevnet({ providers: copies, blockTimeSeconds: 1 })
  await using gateway = await startGateway(dir, {
    settings: {
      ...devnetSettings(network, copies),
      'packs.default': packing,
      'packs.idle': '2s',
      'cache.fill_on_read': false,
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

interface Cold {
  readonly reads: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly sequentialMibPerSecond: number
  readonly wholeMibPerSecond: number
}

interface Member {
  readonly key: string
  readonly sha256: string
}

/** Random members, then the members of one pack in order, then that pack whole from its provider. */
async function readCold({ gateway, network }: Scene, reads: number): Promise<Cold> {
  const { dir, port, bucket, user } = gateway
  const requestOf = (key: string) => [Buffer.from(signedRequest(port, { method: 'GET', url: `/${bucket}/${key}`, user }).head)]
  deleteCachedFiles(dir)
  using database = new DatabaseSync(join(dir, 'db', 'svc.db'), { readOnly: true })
  const columns = `v.key, c.sha256 from pack_members m join contents c on c.id = m.content_id
    join object_versions v on v.content_id = c.id`
  const random = database.prepare(`select ${columns} order by random() limit ?`).all(reads) as unknown as readonly Member[]
  const read = async (connection: RawConnection, { key, sha256 }: Member): Promise<number> => {
    const digest = createHash('sha256')
    const startMs = performance.now()
    await connection.exchange(requestOf(key), { bodyBytes: objectBytes, onBody: (piece) => void digest.update(piece) })
    const tookMs = performance.now() - startMs
    if (digest.digest('hex') !== sha256) throw new Error(`${key} was read with other bytes`)
    return tookMs
  }
  using open = new DisposableStack()
  const connections = await Promise.all(Array.from({ length: readersAtOnce }, () => RawConnection.open(port)))
  for (const connection of connections) open.use(connection)
  const times: number[] = []
  const left = [...random]
  await Promise.all(
    connections.map(async (connection) => {
      for (let member = left.pop(); member; member = left.pop()) times.push(await read(connection, member))
    }),
  )
  times.sort((a, b) => a - b)
  const [pack] = database.prepare('select content_id as id, living_bytes as bytes from packs order by members desc limit 1').all() as {
    readonly id: number
    readonly bytes: number
  }[]
  if (!pack) throw new Error('nothing was packed')
  const inOrder = database
    .prepare(`select ${columns} where m.pack_id = ? order by m.offset_bytes`)
    .all(pack.id) as unknown as readonly Member[]
  const sequentialMs = await timed(async () => {
    for (const member of inOrder) await read(connections[0] as RawConnection, member)
  })
  const piece = database
    .prepare(
      "select p.piece_cid as cid, d.service_url as url from copies k join pieces p on p.id = k.piece_id join data_sets d on d.id = k.data_set_id where k.content_id = ? and k.state = 'committed' limit 1",
    )
    .get(pack.id) as { readonly cid: string; readonly url: string } | undefined
  if (!piece) throw new Error(`pack ${pack.id} has no copy; the wallet is ${network.payer}`)
  let wholeBytes = 0
  const wholeMs = await timed(async () => {
    const response = await fetch(`${piece.url.replace(/\/$/, '')}/piece/${piece.cid}`)
    wholeBytes = (await response.arrayBuffer()).byteLength
  })
  return {
    reads: times.length,
    p50Ms: times[Math.floor(times.length * 0.5)] ?? Number.NaN,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
    sequentialMibPerSecond: (pack.bytes / mib / sequentialMs) * 1000,
    wholeMibPerSecond: (wholeBytes / mib / wholeMs) * 1000,
  }
}

async function timed(run: () => Promise<void>): Promise<number> {
  const startMs = performance.now()
  await run()
  return performance.now() - startMs
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

const coldRows = ({ reads, p50Ms, p99Ms, sequentialMibPerSecond, wholeMibPerSecond }: Cold): readonly BenchRow[] => [
  { label: `cold reads of ${reads} random members, p50`, value: p50Ms, unit: 'ms', note: `${readersAtOnce} readers` },
  { label: 'cold reads, p99', value: p99Ms, unit: 'ms' },
  {
    label: 'cold members of a pack in order',
    value: sequentialMibPerSecond,
    unit: 'MiB/s',
    note: `${(sequentialMibPerSecond / wholeMibPerSecond).toFixed(2)} × the whole piece from its provider, ${wholeMibPerSecond.toFixed(0)} MiB/s`,
  },
]
