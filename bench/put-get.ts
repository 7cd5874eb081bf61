// Measures puts and gets over HTTP at the gateway and at minimal baseline servers, alternating within one run.
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type BareKind, type BenchServer, type Gateway, startBareServer, startGateway } from './bench-server.ts'
import { type BenchRow, type BenchTable, describeSpread, median, ratiosByRound, renderBenchTable } from './bench-table.ts'
import { cpuTimeOf, waitUntilIdle } from './cpu-time.ts'
import { createObjectRequests, type ObjectRequests } from './object-requests.ts'
import { type ExpectedAnswer, type PreparedRequest, RawConnection } from './raw-connection.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** After this time a turn starts no further request. */
const turnMsMax = 2500
/** After this time, reached on a busy machine, a load starts no further round. */
const loadMsMax = 16_000
const roundsMin = 3

/** Amount of work: full for measurements, reduced for tests. */
interface BenchScale {
  readonly rounds: number
  readonly smallPuts: number
  readonly smallGets: number
  readonly smallObjects: number
  readonly largeBytes: number
  /** Per stream. */
  readonly largePuts: number
  readonly largeGets: number
}

/** Many short turns, because other load on the machine changes within seconds. */
const fullScale: BenchScale = {
  rounds: 12,
  smallPuts: 1000,
  smallGets: 6000,
  smallObjects: 400,
  largeBytes: 64 * MIB,
  largePuts: 1,
  largeGets: 4,
}

interface Load {
  readonly label: string
  readonly method: 'PUT' | 'GET'
  readonly bare: BareKind
  readonly connections: number
  readonly bytes: number
  /** Per round and server. */
  readonly requests: number
  /** Number of objects that gets cycle through. */
  readonly objects: number
}

interface PutGetOptions {
  readonly scale?: BenchScale
  /** Folder of another checkout, with its dependencies installed: its gateway takes part in every round. */
  readonly before?: string | undefined
}

/** Takes about a minute (two on a busy machine) and 9 GiB of temporary disk space; set TMPDIR for another disk. @throws Error when an answer is wrong */
export async function benchPutGet({ scale = fullScale, before }: PutGetOptions = {}): Promise<BenchTable> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-put-get-'))
  try {
    await using servers = new AsyncDisposableStack()
    const gateways: Gateway[] = []
    if (before !== undefined)
      gateways.push(servers.use(await startGateway(join(dir, 'before'), { label: 'gateway before', checkout: resolve(before) })))
    gateways.push(servers.use(await startGateway(join(dir, 'gateway'))))
    const rows: BenchRow[] = []
    for (const load of loadsOf(scale)) {
      await using bare = await startBareServer(load.bare, join(dir, `bare-${rows.length}`))
      rows.push(...(await compare(load, { bare, gateways, rounds: scale.rounds })))
    }
    return { name: `put and get: median, spread and ratio of up to ${scale.rounds} rounds`, rows }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function loadsOf(scale: BenchScale): Load[] {
  const small = { bytes: 4 * KIB, connections: 32, objects: scale.smallObjects }
  const large = { bytes: scale.largeBytes, bare: 'file-streams', objects: 1 } as const
  const size = `${scale.largeBytes / MIB} MiB`
  // Small puts run last, because each enqueues a task and thousands of tasks slow the gateway slightly.
  return [
    { ...small, label: 'GET 4 KiB, 32 connections', method: 'GET', bare: 'buffer', requests: scale.smallGets },
    { ...large, label: `GET ${size}, 1 stream`, method: 'GET', connections: 1, requests: scale.largeGets },
    { ...large, label: `PUT ${size}, 1 stream`, method: 'PUT', connections: 1, requests: scale.largePuts },
    { ...large, label: `PUT ${size}, 4 streams`, method: 'PUT', connections: 4, requests: 4 * scale.largePuts },
    { ...small, label: 'PUT 4 KiB, 32 connections', method: 'PUT', bare: 'synced-files', requests: scale.smallPuts },
  ]
}

interface CompareDeps {
  readonly bare: BenchServer
  readonly gateways: readonly Gateway[]
  readonly rounds: number
}

/** Measurements of one server in one turn. */
interface Turn {
  readonly requestsPerSecond: number
  /** CPU microseconds per request: of the server's main thread, and of all its threads. */
  readonly mainCpu: number | undefined
  readonly allCpu: number | undefined
  /** Event loop utilization of the client, 0 to 1: near 1 the client is the bottleneck. */
  readonly clientBusy: number
}

/** The servers alternate in every round, so that other load affects them equally. The first round is a warm-up. */
async function compare(load: Load, { bare, gateways, rounds }: CompareDeps): Promise<BenchRow[]> {
  const measured: MeasuredServer[] = []
  for (const server of [bare, ...gateways]) {
    // The baseline ignores signatures.
    const { bucket, user } = gateways.find((gateway) => gateway === server) ?? (gateways[0] as Gateway)
    const requests = createObjectRequests({ objectBytes: load.bytes, bucket, user })
    measured.push({ server, nextRequests: await prepareRequests(load, server, requests), turns: [] })
  }
  const startMs = performance.now()
  for (let round = -1; round < rounds; round++) {
    if (round >= roundsMin && performance.now() - startMs > loadMsMax) break
    for (const { server, nextRequests, turns } of measured) {
      const turn = await takeTurn(load, server, nextRequests())
      if (round >= 0) turns.push(turn)
    }
  }
  const [base, before] = measured
  return measured.map((one) => rowOf(load, one, { bare: base ?? one, before: one === measured[2] ? before : undefined }))
}

interface MeasuredServer {
  readonly server: BenchServer
  /** Returns the requests of the next turn. */
  readonly nextRequests: () => readonly PreparedRequest[]
  readonly turns: Turn[]
}

async function prepareRequests(load: Load, { port }: BenchServer, requests: ObjectRequests): Promise<MeasuredServer['nextRequests']> {
  if (load.method === 'PUT') return () => requests.prepare(port, load.requests).map(({ put }) => put)
  const objects = requests.prepare(port, load.objects)
  using connection = await RawConnection.open(port)
  for (const { key, put, get, sha256 } of objects) {
    await connection.exchange(put)
    const digest = createHash('sha256')
    await connection.exchange(get, { bodyBytes: load.bytes, onBody: (piece) => digest.update(piece) })
    if (digest.digest('hex') !== sha256) throw new Error(`GET ${key} returned other bytes than were put`)
  }
  const gets = objects.map(({ get }) => get)
  return () => gets
}

async function takeTurn(load: Load, { port, pid }: BenchServer, requests: readonly PreparedRequest[]): Promise<Turn> {
  using open = new DisposableStack()
  const connections: RawConnection[] = []
  for (let n = 0; n < load.connections; n++) connections.push(open.use(await RawConnection.open(port)))
  await waitUntilIdle(pid)

  const expected: ExpectedAnswer = load.method === 'GET' ? { bodyBytes: load.bytes } : { bodyBytes: 0 }
  let sent = 0
  const cpuBefore = cpuTimeOf(pid)
  const loopBefore = performance.eventLoopUtilization()
  const startMs = performance.now()
  const keepBusy = async (connection: RawConnection): Promise<void> => {
    while (sent < load.requests && performance.now() - startMs < turnMsMax) {
      const request = requests[sent % requests.length] as PreparedRequest
      sent += 1
      await connection.exchange(request, expected)
    }
  }
  await Promise.all(connections.map(keepBusy))
  const tookMs = performance.now() - startMs
  const cpu = cpuTimeOf(pid)
  const perRequest = (after?: number, before?: number) =>
    after === undefined || before === undefined ? undefined : (after - before) / sent
  return {
    requestsPerSecond: (sent * 1000) / tookMs,
    mainCpu: perRequest(cpu?.mainThread, cpuBefore?.mainThread),
    allCpu: perRequest(cpu?.allThreads, cpuBefore?.allThreads),
    clientBusy: performance.eventLoopUtilization(loopBefore).utilization,
  }
}

interface Compared {
  readonly bare: MeasuredServer
  readonly before: MeasuredServer | undefined
}

function rowOf(load: Load, { server, turns }: MeasuredServer, { bare, before }: Compared): BenchRow {
  const isSmall = load.bytes < MIB
  const rateOf = ({ requestsPerSecond }: Turn): number => (isSmall ? requestsPerSecond : (requestsPerSecond * load.bytes) / MIB)
  const rates = turns.map(rateOf)
  const ratios = ratiosByRound(rates, bare.turns.map(rateOf))
  const ratio = median(ratios)
  const mainCpu = medianOf(turns, 'mainCpu')
  const bareCpu = medianOf(bare.turns, 'mainCpu')
  const cpuRatio = mainCpu !== undefined && bareCpu !== undefined ? mainCpu / bareCpu : undefined
  const clientBusy = median(turns.map((turn) => turn.clientBusy))
  const isBare = server === bare.server
  const notes = [describeSpread(rates, 0)]
  if (!isBare) notes.push(`${ratio.toFixed(2)} × bare (${describeSpread(ratios, 2)})`)
  if (mainCpu !== undefined) notes.push(`main thread ${isSmall ? `${mainCpu.toFixed(0)} µs` : `${(mainCpu / 1000).toFixed(0)} ms`} each`)
  if (!isBare && cpuRatio !== undefined) notes.push(`${cpuRatio.toFixed(1)} × bare`)
  const beforeRatio = before && median(ratiosByRound(rates, before.turns.map(rateOf)))
  const beforeCpu = before && medianOf(before.turns, 'mainCpu')
  if (beforeRatio !== undefined) notes.push(`${beforeRatio.toFixed(2)} × before`)
  if (mainCpu !== undefined && beforeCpu !== undefined) notes.push(`main thread ${(mainCpu / beforeCpu).toFixed(2)} × before`)
  notes.push(`client ${(clientBusy * 100).toFixed(0)} %`)
  return {
    label: `${load.label}: ${server.label}`,
    value: median(rates),
    unit: isSmall ? '/s' : 'MiB/s',
    note: notes.join('; '),
    figures: { rounds: rates, ratio, ratios, mainCpuMicros: mainCpu, cpuRatio, allCpuMicros: medianOf(turns, 'allCpu'), clientBusy },
  }
}

function medianOf(turns: readonly Turn[], figure: 'mainCpu' | 'allCpu'): number | undefined {
  const known = turns.map((turn) => turn[figure]).filter((value) => value !== undefined)
  return known.length > 0 ? median(known) : undefined
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchPutGet()))
