// Measures puts and gets at the running gateway over HTTP beside bare servers that do the least: all in one run, taking turns.
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BareKind, type BenchServer, type Gateway, startBareServer, startGateway } from './bench-server.ts'
import { type BenchRow, type BenchTable, describeSpread, median, ratiosByRound, renderBenchTable } from './bench-table.ts'
import { cpuTimeOf, waitUntilIdle } from './cpu-time.ts'
import { createObjectRequests, type ObjectRequests } from './object-requests.ts'
import { type ExpectedAnswer, type PreparedRequest, RawConnection } from './raw-connection.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** No further request starts in a turn that has lasted this long. */
const turnMsMax = 2500
/** No further round starts on a load that has lasted this long, as on a busy machine. */
const loadMsMax = 16_000
const roundsMin = 3

/** How much is done: the whole is for figures, less of it for finding out whether it works. */
export interface BenchScale {
  readonly rounds: number
  readonly smallPuts: number
  readonly smallGets: number
  readonly smallObjects: number
  readonly largeBytes: number
  /** Of each stream. */
  readonly largePuts: number
  readonly largeGets: number
}

/** Many short turns rather than a few long ones: what else the machine does changes by the second. */
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
  /** Each round, at each server. */
  readonly requests: number
  /** That gets take turns with. */
  readonly objects: number
}

/** About a minute, twice that on a busy machine, and 9 GiB of temporary disk space; set TMPDIR for another disk. @throws Error when an answer is wrong */
export async function benchPutGet(scale: BenchScale = fullScale): Promise<BenchTable> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-put-get-'))
  try {
    await using gateway = await startGateway(join(dir, 'gateway'))
    const rows: BenchRow[] = []
    for (const load of loadsOf(scale)) {
      await using bare = await startBareServer(load.bare, join(dir, `bare-${rows.length}`))
      rows.push(...(await compare(load, { bare, gateway, rounds: scale.rounds })))
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
  // Small puts come last: each leaves a task behind, and thousands of tasks have their own small cost.
  return [
    { ...small, label: 'GET 4 KiB, 32 connections', method: 'GET', bare: 'buffer', requests: scale.smallGets },
    { ...large, label: `GET ${size}, 1 stream`, method: 'GET', connections: 1, requests: scale.largeGets },
    { ...large, label: `PUT ${size}, 1 stream`, method: 'PUT', connections: 1, requests: scale.largePuts },
    { ...large, label: `PUT ${size}, 4 streams`, method: 'PUT', connections: 4, requests: 4 * scale.largePuts },
    { ...small, label: 'PUT 4 KiB, 32 connections', method: 'PUT', bare: 'synced-files', requests: scale.smallPuts },
  ]
}

interface Scene {
  readonly bare: BenchServer
  readonly gateway: Gateway
  readonly rounds: number
}

/** What a server did in one turn. */
interface Turn {
  readonly requestsPerSecond: number
  /** Microseconds a request: of the server's main thread, and of all its threads. */
  readonly mainCpu: number | undefined
  readonly allCpu: number | undefined
  /** Share of the time in which the client had something to do: near 1 it is the client that was measured. */
  readonly clientBusy: number
}

/** The servers take turns in every round, so that other load on the machine meets them alike. The first round only warms up. */
async function compare(load: Load, { bare, gateway, rounds }: Scene): Promise<BenchRow[]> {
  const requests = createObjectRequests({ objectBytes: load.bytes, bucket: gateway.bucket, user: gateway.user })
  const lanes: Lane[] = []
  for (const server of [bare, gateway]) lanes.push({ server, next: await prepareLane(load, server, requests), turns: [] })
  const startMs = performance.now()
  for (let round = -1; round < rounds; round++) {
    if (round >= roundsMin && performance.now() - startMs > loadMsMax) break
    for (const { server, next, turns } of lanes) {
      const turn = await takeTurn(load, server, next())
      if (round >= 0) turns.push(turn)
    }
  }
  return lanes.map((lane) => rowOf(load, lane, lanes[0] ?? lane))
}

interface Lane {
  readonly server: BenchServer
  /** The requests of a turn. */
  readonly next: () => readonly PreparedRequest[]
  readonly turns: Turn[]
}

async function prepareLane(load: Load, { port }: BenchServer, requests: ObjectRequests): Promise<Lane['next']> {
  if (load.method === 'PUT') return () => requests.prepare(port, load.requests).map(({ put }) => put)
  const objects = requests.prepare(port, load.objects)
  using connection = await RawConnection.open(port)
  for (const { key, put, get, sha256 } of objects) {
    await connection.exchange(put)
    const digest = createHash('sha256')
    await connection.exchange(get, { bodyBytes: load.bytes, onBody: (piece) => digest.update(piece) })
    if (digest.digest('hex') !== sha256) throw new Error(`${key} came back with other bytes`)
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

function rowOf(load: Load, { server, turns }: Lane, base: Lane): BenchRow {
  const isSmall = load.bytes < MIB
  const rateOf = ({ requestsPerSecond }: Turn): number => (isSmall ? requestsPerSecond : (requestsPerSecond * load.bytes) / MIB)
  const rates = turns.map(rateOf)
  const ratios = ratiosByRound(rates, base.turns.map(rateOf))
  const ratio = median(ratios)
  const mainCpu = medianOf(turns, 'mainCpu')
  const bareCpu = medianOf(base.turns, 'mainCpu')
  const cpuRatio = mainCpu !== undefined && bareCpu !== undefined ? mainCpu / bareCpu : undefined
  const clientBusy = median(turns.map((turn) => turn.clientBusy))
  const isBare = server === base.server
  const notes = [describeSpread(rates, 0)]
  if (!isBare) notes.push(`${ratio.toFixed(2)} × bare (${describeSpread(ratios, 2)})`)
  if (mainCpu !== undefined) notes.push(`main thread ${isSmall ? `${mainCpu.toFixed(0)} µs` : `${(mainCpu / 1000).toFixed(0)} ms`} each`)
  if (!isBare && cpuRatio !== undefined) notes.push(`${cpuRatio.toFixed(1)} × bare`)
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
