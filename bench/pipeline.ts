// Measures the storage pipeline: objects put at once, until each has three copies committed on the chain of a local devnet. The gateway
// is a process of its own; the devnet runs in this process, so that its CPU time is not counted.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultNetwork, networkVersions } from '../devnet/chain/network-versions.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { startFundedDevnet } from '../e2e/fixtures/gateways/funded-devnet.ts'
import { mib, readResidentMemory, resetPeak } from '../e2e/load/resident-memory.ts'
import { devnetSettings, type Gateway, startGateway } from './bench-server.ts'
import { type BenchRow, type BenchTable, renderBenchTable } from './bench-table.ts'
import { cpuTimeOf, waitUntilIdle } from './cpu-time.ts'
import type { EventLoopDelay } from './loop-delay.ts'
import { openCounts, type Puts, putInSteps, putObjects, waitForCopies } from './stored-objects.ts'

const copies = 3
const objectBytesDefault = 4096
const blockTimeSeconds = 1
/** An object with three copies must not take longer than this on average. */
const objectMsMax = 250
const leastMs = 180_000
const memorySteps = 5
/** How long the full queue is observed, at most: a millisecond for each object. */
const heldMsMax = 15_000
/** Prices of the devnet's storage service in USDFC. */
const { fees: prices } = networkVersions[defaultNetwork()].prices
const addPiecesFee = Number(prices.addPiecesBaseFee) / 1e18
const pieceFee = Number(prices.addPiecesPerPieceFee) / 1e18

export interface PipelineScale {
  /** Objects that are put and stored. */
  readonly objects?: number | undefined
  /** Objects that are put while the chain does not answer: the baseline, and memory with a long queue. */
  readonly queued?: number | undefined
  /** Size of each object. */
  readonly bytes?: number | undefined
  /** Directory for the CPU profile of the gateway. */
  readonly profileDir?: string | undefined
}

/** Takes about two minutes. Linux only: CPU time and memory of the gateway come from /proc. @throws Error when objects are not stored in time */
export async function benchPipeline({
  objects = 1000,
  queued = 2000,
  bytes = objectBytesDefault,
  profileDir,
}: PipelineScale = {}): Promise<BenchTable> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-pipeline-'))
  try {
    const put = await measureQueue(join(dir, 'puts'), { objects: queued, bytes })
    const stored = await measureStoring(join(dir, 'storing'), { objects, bytes, profileDir })
    return { name: `pipeline: ${objects} objects of ${bytes} bytes to ${copies} committed copies`, rows: rowsOf(put, stored, queued) }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

interface Measured {
  /** CPU time of all threads of the gateway, per object. */
  readonly cpuMs: number
  readonly restBytes: number
  readonly peakBytes: number
  readonly loop: EventLoopDelay
}

interface Stored extends Measured {
  readonly objectsPerMinute: number
  readonly mainCpuMs: number
  /** Part of the CPU time until the last PUT was answered. */
  readonly putPhaseCpuMs: number
  readonly putSeconds: number
  readonly seconds: number
  readonly transactions: number
  readonly pieces: number
}

interface Queued extends Measured {
  /** Resident memory after each fifth of the PUTs. */
  readonly growth: readonly { readonly objects: number; readonly bytes: number }[]
  /** After the last PUT, while all objects wait for the chain. */
  readonly held: { readonly cpuShare: number; readonly loop: EventLoopDelay }
}

/** Only the PUTs, and then only the queue: with a chain node that never answers, all further work of the gateway waits for it. */
async function measureQueue(dir: string, puts: Puts): Promise<Queued> {
  const { objects } = puts
  const silent = createServer((socket) => socket.on('error', () => socket.destroy()))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as { readonly port: number }
  const settings = { 'chain.rpc_url': `http://127.0.0.1:${port}`, 'chain.allow_private_networks': true, 'packs.default': 'off' }
  try {
    await using gateway = await startGateway(dir, { settings })
    const measure = await startMeasuring(gateway)
    const growth = await putInSteps(gateway, puts, memorySteps)
    const measured = await measure(objects)
    const measureHeld = await startMeasuring(gateway)
    const heldMs = Math.min(objects, heldMsMax)
    await pause(heldMs)
    const { cpuMs, loop } = await measureHeld(1)
    return { ...measured, growth, held: { cpuShare: cpuMs / heldMs, loop } }
  } finally {
    silent.close()
  }
}

async function measureStoring(dir: string, { objects, bytes, profileDir }: Puts & Pick<PipelineScale, 'profileDir'>): Promise<Stored> {
  await using network = await startFundedDevnet({ providers: copies, blockTimeSeconds })
  const { devnet } = network
  const profiling = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
  await using gateway = await startGateway(dir, {
    nodeArguments: profiling,
    settings: devnetSettings(network, copies),
  })
  using counts = openCounts(gateway)
  // The first object creates the data sets, which is not part of the measurement.
  await putObjects(gateway, { objects: 1, bytes })
  await waitForCopies(counts, copies, leastMs)
  const earlier = new Set(devnet.addPiecesTransactions().map(({ hash }) => hash))

  const measure = await startMeasuring(gateway)
  const cpuBefore = cpuTimeOf(gateway.pid)
  const startMs = performance.now()
  await putObjects(gateway, { objects, bytes })
  const putMs = performance.now() - startMs
  const cpuAfterPuts = cpuTimeOf(gateway.pid)
  await waitForCopies(counts, copies * (objects + 1), Math.max(leastMs, objects * objectMsMax))
  const tookMs = performance.now() - startMs
  const cpuAfter = cpuTimeOf(gateway.pid)
  const perObject = (after?: number, before?: number) => ((after ?? Number.NaN) - (before ?? Number.NaN)) / 1000 / objects
  const added = devnet.addPiecesTransactions().filter(({ hash }) => !earlier.has(hash))
  return {
    ...(await measure(objects)),
    objectsPerMinute: (objects * 60_000) / tookMs,
    mainCpuMs: perObject(cpuAfter?.mainThread, cpuBefore?.mainThread),
    putPhaseCpuMs: perObject(cpuAfterPuts?.allThreads, cpuBefore?.allThreads),
    putSeconds: putMs / 1000,
    seconds: tookMs / 1000,
    transactions: added.length,
    pieces: piecesIn(added),
  }
}

const piecesIn = (added: ReturnType<Devnet['addPiecesTransactions']>) => added.reduce((sum, { pieceCids }) => sum + pieceCids.length, 0)

/** Returns a function that reads what the gateway used since this call. */
export async function startMeasuring({ pid, takeLoopDelay }: Gateway): Promise<(objects: number) => Promise<Measured>> {
  await waitUntilIdle(pid)
  await takeLoopDelay()
  resetPeak(pid)
  const rest = readResidentMemory(pid)
  const cpuBefore = cpuTimeOf(pid)
  return async (objects) => {
    const cpu = cpuTimeOf(pid)
    return {
      cpuMs: ((cpu?.allThreads ?? Number.NaN) - (cpuBefore?.allThreads ?? Number.NaN)) / 1000 / objects,
      restBytes: rest.bytes,
      peakBytes: readResidentMemory(pid).peakBytes,
      loop: await takeLoopDelay(),
    }
  }
}

function rowsOf(put: Queued, stored: Stored, queued: number): BenchRow[] {
  const perThousand = (count: number) => (count * 1000 * copies) / stored.pieces
  const fees = stored.transactions * addPiecesFee + stored.pieces * pieceFee
  const singly = stored.pieces * (addPiecesFee + pieceFee)
  const growth = ({ peakBytes, restBytes }: Measured) => `${((peakBytes - restBytes) / mib).toFixed(0)} MiB above rest`
  const loop = ({ loop }: Measured) => `p50 ${loop.p50Ms.toFixed(1)} ms, longest ${loop.maxMs.toFixed(0)} ms`
  return [
    {
      label: 'objects with 3 committed copies',
      value: stored.objectsPerMinute,
      unit: '/min',
      note: `${stored.seconds.toFixed(0)} s, of which PUTs ${stored.putSeconds.toFixed(0)} s`,
    },
    { label: 'gateway CPU per PUT alone', value: put.cpuMs, unit: 'ms', note: `bare baseline: ${queued} PUTs, the chain does not answer` },
    {
      label: 'gateway CPU per stored object',
      value: stored.cpuMs,
      unit: 'ms',
      note: `main thread ${stored.mainCpuMs.toFixed(1)} ms; until the last PUT ${stored.putPhaseCpuMs.toFixed(1)} ms; ${(stored.cpuMs / put.cpuMs).toFixed(1)} × bare`,
    },
    {
      label: 'transactions per 1,000 objects',
      value: perThousand(stored.transactions),
      unit: '',
      note: `${stored.pieces} pieces in ${stored.transactions}; 1/${(stored.pieces / stored.transactions).toFixed(1)} of one per copy`,
      figures: { pieces: stored.pieces, transactions: stored.transactions },
    },
    {
      label: 'fees per 1,000 objects',
      value: perThousand(fees),
      unit: 'USDFC',
      note: `${(fees / singly).toFixed(2)} × one transaction per copy`,
    },
    { label: 'peak memory while storing', value: stored.peakBytes / mib, unit: 'MiB', note: growth(stored) },
    { label: `peak memory, ${queued} objects queued`, value: put.peakBytes / mib, unit: 'MiB', note: `${growth(put)}; ${stepsOf(put)}` },
    {
      label: `gateway CPU while ${queued} objects wait`,
      value: put.held.cpuShare * 100,
      unit: '%',
      note: `of one core; event-loop delay p99 ${put.held.loop.p99Ms.toFixed(1)} ms`,
    },
    { label: 'event-loop delay p99 while storing', value: stored.loop.p99Ms, unit: 'ms', note: loop(stored) },
    { label: 'event-loop delay p99 of PUTs alone', value: put.loop.p99Ms, unit: 'ms', note: loop(put) },
  ]
}

const stepsOf = ({ restBytes, growth }: Queued): string =>
  [{ objects: 0, bytes: restBytes }, ...growth].map(({ objects, bytes }) => `${objects}: ${(bytes / mib).toFixed(0)}`).join(', ')

if (import.meta.main) process.stdout.write(renderBenchTable(await benchPipeline()))
