// Measures puts, gets and heads over HTTP at the gateway, at minimal baseline servers and at other S3 servers, alternating within one run.
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BareKind, startBareServer } from './bench-server.ts'
import { type BenchRow, type BenchTable, renderBenchTable } from './bench-table.ts'
import { memoryRows, resetPeaks } from './memory.ts'
import { createObjectRequests, type ObjectRequests } from './object-requests.ts'
import type { S3Target } from './peers.ts'
import { type ExpectedAnswer, type PreparedRequest, RawConnection } from './raw-connection.ts'
import { compare, KIB, type Load, MIB, turnMsMax } from './rounds.ts'
import { type CompareOptions, startTargets } from './targets.ts'

/** Amount of work: full for measurements, reduced for tests. */
interface BenchScale {
  readonly rounds: number
  readonly smallPuts: number
  readonly smallGets: number
  readonly smallObjects: number
  readonly largeBytes: number
  /** Number per stream. */
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

type Method = 'PUT' | 'GET' | 'HEAD'

export interface ObjectLoad {
  readonly label: string
  readonly method: Method
  readonly connections: number
  readonly bytes: number
  /** Number per round and server. */
  readonly requests: number
  /** Gets read ranges of this length at random places. */
  readonly rangeBytes?: number
  /** Number of objects that gets cycle through. */
  readonly objects: number
  /** Bodies of puts are framed in signed chunks of this size. */
  readonly chunkBytes?: number
}

interface ComparedLoad extends ObjectLoad {
  readonly bare: BareKind
}

/** Takes about a minute (two on a busy machine) and 20 GiB of temporary disk space; set TMPDIR for another disk. @throws Error when an answer is wrong */
export async function benchPutGet({ scale = fullScale, only = '', ...options }: CompareOptions<BenchScale> = {}): Promise<BenchTable> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-put-get-'))
  try {
    await using servers = new AsyncDisposableStack()
    const { before, gateway, targets } = await startTargets(dir, servers, options)
    resetPeaks(targets)
    const rows: BenchRow[] = []
    for (const load of loadsOf(scale).filter(({ label }) => label.includes(only))) {
      await using started = await startBareServer(load.bare, join(dir, `bare-${rows.length}`))
      // The baseline ignores signatures and buckets.
      const bare = { ...started, user: gateway.user, bucket: gateway.bucket }
      const compared = { targets: [bare, ...targets], bare, before, gateway, rounds: scale.rounds }
      rows.push(...(await compare(measuring(load), compared)))
    }
    rows.push(...memoryRows('resident memory under these loads', targets))
    return { name: `put and get: median, spread and ratio of up to ${scale.rounds} rounds`, rows }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function loadsOf(scale: BenchScale): ComparedLoad[] {
  const small = { bytes: 4 * KIB, connections: 32, objects: scale.smallObjects }
  const large = { bytes: scale.largeBytes, bare: 'file-streams', objects: 1 } as const
  const size = `${scale.largeBytes / MIB} MiB`
  // Small puts run last, because each enqueues a task and thousands of tasks slow the gateway slightly.
  return [
    { ...small, label: 'GET 4 KiB, 32 connections', method: 'GET', bare: 'buffer', requests: scale.smallGets },
    { ...small, label: 'HEAD 4 KiB, 32 connections', method: 'HEAD', bare: 'buffer', requests: scale.smallGets },
    { ...large, label: `GET ${size}, 1 stream`, method: 'GET', connections: 1, requests: scale.largeGets },
    { ...large, label: `GET ${size}, 16 streams`, method: 'GET', connections: 16, requests: 4 * scale.largeGets },
    ...[scale.largeBytes / 8, 4 * KIB].map((rangeBytes, at): ComparedLoad => {
      const label = `GET ${rangeBytes / KIB} KiB of ${size}, ${at === 0 ? '4 streams' : '32 connections'}`
      const requests = at === 0 ? 16 * scale.largeGets : scale.smallGets / 4
      return { ...large, label, method: 'GET', connections: at === 0 ? 4 : 32, requests, rangeBytes }
    }),
    { ...large, label: `PUT ${size}, 1 stream`, method: 'PUT', connections: 1, requests: scale.largePuts },
    { ...large, label: `PUT ${size}, 4 streams`, method: 'PUT', connections: 4, requests: 4 * scale.largePuts },
    { ...large, label: `PUT ${size}, 16 streams`, method: 'PUT', connections: 16, requests: 16 * scale.largePuts },
    {
      ...large,
      label: `PUT ${size} in signed chunks, 16 streams`,
      method: 'PUT',
      connections: 16,
      requests: 16 * scale.largePuts,
      chunkBytes: 64 * KIB,
    },
    { ...small, label: 'PUT 4 KiB, 32 connections', method: 'PUT', bare: 'synced-files', requests: scale.smallPuts },
  ]
}

/** The load as rounds at several servers run it. */
export function measuring(load: ObjectLoad): Load<S3Target> {
  const prepare = async (target: S3Target) => {
    const { user, bucket } = target
    const nextRequests = await prepareRequests(
      load,
      target,
      createObjectRequests({ objectBytes: load.bytes, bucket, user, chunkBytes: load.chunkBytes }),
    )
    return async () => {
      const requests = nextRequests()
      const connections = await openConnections(target.port, load.connections)
      return () => send(load, requests, connections)
    }
  }
  return { label: load.label, requestBytes: load.method === 'HEAD' ? 0 : (load.rangeBytes ?? load.bytes), prepare }
}

async function prepareRequests(load: ObjectLoad, { port }: S3Target, requests: ObjectRequests): Promise<() => readonly PreparedRequest[]> {
  if (load.method === 'PUT') return () => requests.prepare(port, load.requests).map(({ put }) => put)
  const objects = requests.prepare(port, load.objects)
  using connection = await RawConnection.open(port)
  if (load.rangeBytes !== undefined) return await prepareRanges(load, objects, { port, requests, connection })
  for (const { key, put, get, sha256 } of objects) {
    await connection.exchange(put)
    const digest = createHash('sha256')
    await connection.exchange(get, { bodyBytes: load.bytes, onBody: (piece) => digest.update(piece) })
    if (digest.digest('hex') !== sha256) throw new Error(`GET ${key} returned other bytes than were put`)
  }
  const wanted = objects.map(({ get, head }) => (load.method === 'HEAD' ? head : get))
  return () => wanted
}

interface Stored {
  readonly port: number
  readonly requests: ObjectRequests
  readonly connection: RawConnection
}

/** Stores the object and compares the ranges that are read later. The gateway counts their blocks as verified for a minute, as those of a file that is read often. */
async function prepareRanges(
  { rangeBytes = 0 }: ObjectLoad,
  objects: ReturnType<ObjectRequests['prepare']>,
  { port, requests, connection }: Stored,
): Promise<() => readonly PreparedRequest[]> {
  const wanted: PreparedRequest[] = []
  for (const { key, put } of objects) {
    await connection.exchange(put)
    for (const { get, sha256 } of requests.ranges(port, key, { bytes: rangeBytes, count: 50 })) {
      const digest = createHash('sha256')
      await connection.exchange(get, { status: 206, bodyBytes: rangeBytes, onBody: (piece) => digest.update(piece) })
      if (digest.digest('hex') !== sha256) throw new Error(`GET ${key} returned other bytes of a range than were put`)
      wanted.push(get)
    }
  }
  return () => wanted
}

async function openConnections(port: number, count: number): Promise<RawConnection[]> {
  const connections: RawConnection[] = []
  for (let n = 0; n < count; n++) connections.push(await RawConnection.open(port))
  return connections
}

function expectedAnswer({ method, bytes, rangeBytes }: ObjectLoad): ExpectedAnswer {
  if (method === 'PUT') return { bodyBytes: 0 }
  return rangeBytes === undefined ? { bodyBytes: bytes, isHead: method === 'HEAD' } : { status: 206, bodyBytes: rangeBytes }
}

async function send(load: ObjectLoad, requests: readonly PreparedRequest[], connections: readonly RawConnection[]): Promise<number> {
  const expected = expectedAnswer(load)
  let sent = 0
  const startMs = performance.now()
  const keepBusy = async (connection: RawConnection): Promise<void> => {
    using open = connection
    while (sent < load.requests && performance.now() - startMs < turnMsMax) {
      const request = requests[sent % requests.length] as PreparedRequest
      sent += 1
      await open.exchange(request, expected)
    }
  }
  await Promise.all(connections.map(keepBusy))
  return sent
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchPutGet()))
