// Measures every list of the Admin API with 100,000 rows at its beginning, middle and end, during uploads.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { objectsOf } from '../e2e/load/filled-service.ts'
import { historyKey, keyAt, storedVersionId } from '../e2e/load/stored-rows.ts'
import { type BenchRow, type BenchTable, median, ratiosByRound, renderBenchTable } from './bench-table.ts'
import { type ListServer, startListServer } from './list-server.ts'
import type { CompareOptions } from './targets.ts'

const ROWS = 100_000
const BUCKETS = 1000
const USERS = 5000
/** Rounds of each list; the servers answer in turn in each of them. */
const ROUNDS = 20
const REQUESTS = 8
/** Longest pause between two requests. */
const pauseMsMax = 5
const WARM_UP = 10
const PROFILED = 200
/** Start of the measured page as a share of the list. */
const DEPTHS = [0, 0.5, 0.99]
const PAGE_SIZES = [50, 1000]

interface Case {
  readonly label: string
  readonly path: string
}

interface AdminListOptions extends Pick<CompareOptions<never>, 'before' | 'profileDir'> {
  /** Regular expression for the labels of the lists to measure; all by default. */
  readonly only?: string | undefined
}

/** Takes about a minute for each server and 600 MB of temporary disk space. */
export async function benchAdminLists({ before, profileDir, only = '' }: AdminListOptions = {}): Promise<BenchTable> {
  await using servers = new AsyncDisposableStack()
  const start = async (label: string, checkout: string) =>
    servers.use(await startListServer({ label, checkout, rows: ROWS, buckets: BUCKETS, users: USERS }))
  const earlier = before === undefined ? undefined : await start('before', resolve(before))
  const gateway = await start('gateway', fileURLToPath(new URL('..', import.meta.url)))
  const rows: BenchRow[] = []
  for (const listCase of listCases(gateway).filter(({ label }) => new RegExp(only).test(label))) {
    rows.push(await measure(listCase, { earlier, gateway }))
    if (profileDir !== undefined) await profile(listCase, gateway, profileDir)
  }
  return { name: `Admin lists of ${ROWS.toLocaleString('en')} rows during uploads and deletions, ${ROUNDS * REQUESTS} times`, rows }
}

function listCases({ bucketIds }: ListServer): readonly Case[] {
  const affected = '/api/v1/buckets/objects/storage-health/affected-versions'
  const version = (n: number) => (n === 0 ? '' : `&version_marker=${storedVersionId(bucketIds.history, ROWS - n, 0)}`)
  const deletion = (n: number) => (n === 0 ? '' : `after=${storedVersionId(bucketIds.deleted, ROWS - n, 1)}`)
  const affectedAfter = (n: number) =>
    n === 0 ? '' : `key_marker=${keyAt(n)}&version_marker=${storedVersionId(bucketIds.objects, n, 0)}&${affectedTimes}`
  const ofSizes = PAGE_SIZES.flatMap((limit) =>
    [
      ...atDepths('objects', (n) => `${objectsOf('objects')}?${after(n)}`),
      { label: 'objects, a folder', path: `${objectsOf('objects')}?prefix=photos/0050/&delimiter=/` },
      { label: 'objects, the folders', path: `${objectsOf('objects')}?prefix=photos/&delimiter=/` },
      ...atDepths('versions of a key', (n) => `${objectsOf('history')}/versions?key=${historyKey}${version(n)}`),
      ...atDepths('deleted', (n) => `${objectsOf('deleted')}/deleted?${after(n)}`),
      ...atDepths('deletions', (n) => `${objectsOf('deleted')}/deletions?${deletion(n)}`),
      { label: 'deletions, the oldest folder', path: `${objectsOf('deleted')}/deletions?prefix=photos/0000/` },
      ...atDepths('affected versions', (n) => `${affected}?${affectedAfter(n)}`),
    ].map(({ label, path }) => ({ label: `${label}, ${limit} a page`, path: `${path}&limit=${limit}` })),
  )
  return [...ofSizes, ...taskCases(), ...wholeCases]
}

const affectedTimes = 'created_at_marker=2026-01-01T00:00:00Z&stale_before=2026-01-01T00:00:00Z'
const after = (n: number): string => (n === 0 ? '' : `after=${keyAt(n)}`)
const atDepths = (label: string, path: (n: number) => string): Case[] =>
  DEPTHS.map((depth) => ({ label: `${label} at ${depth * 100} %`, path: path(depth * ROWS) }))

const taskFilters = [
  '',
  'type=storage_store',
  'type=task_gc',
  'status=pending',
  'status=completed',
  'status=failed',
  'status=dismissed',
  'type=storage_store&status=failed',
]
const taskCases = (): Case[] =>
  taskFilters.flatMap((filter) =>
    atDepths(`tasks ${filter || 'of any kind'}, 100 a page`, (n) => `/api/v1/tasks?limit=100&cursor=${ROWS - n}&${filter}`),
  )

/** Lists without pages. */
const wholeCases: readonly Case[] = [
  { label: 'tasks/stats', path: '/api/v1/tasks/stats?' },
  { label: 'tasks/acknowledge/preview', path: '/api/v1/tasks/acknowledge/preview?' },
  { label: `buckets, all ${BUCKETS}`, path: '/api/v1/buckets?' },
  { label: 'one bucket in full', path: '/api/v1/buckets/objects?' },
  { label: `s3-users, all ${USERS}`, path: '/api/v1/s3-users?' },
  { label: 'overview', path: '/api/v1/overview?' },
]

interface Measured {
  /** The median of each round. */
  readonly rounds: number[]
  readonly all: number[]
  /** CPU microseconds of the main thread for each request of a round without uploads. */
  readonly cpu: number[]
  bytes: number
}

/** Only the server whose turn it is gets uploads. */
async function measure(
  { label, path }: Case,
  { earlier, gateway }: { earlier: ListServer | undefined; gateway: ListServer },
): Promise<BenchRow> {
  const ofEarlier: Measured = { rounds: [], all: [], cpu: [], bytes: 0 }
  const ofGateway: Measured = { rounds: [], all: [], cpu: [], bytes: 0 }
  for (let round = -1; round < ROUNDS; round++) {
    if (earlier) await measureRound(earlier, path, round < 0 ? undefined : ofEarlier)
    await measureRound(gateway, path, round < 0 ? undefined : ofGateway)
  }
  const p95 = ofGateway.all.toSorted((a, b) => a - b)[Math.floor(ofGateway.all.length * 0.95)] ?? 0
  const beforeRatio = earlier && median(ratiosByRound(ofEarlier.rounds, ofGateway.rounds))
  const cpu = Math.round(median(ofGateway.cpu))
  const beforeCpuRatio = earlier && median(ratiosByRound(ofGateway.cpu, ofEarlier.cpu))
  const notes = [
    `p95 ${p95.toFixed(1)} ms, ${(ofGateway.bytes / 1024).toFixed(0)} KiB, main thread ${cpu} µs without uploads`,
    beforeRatio && `speed ${beforeRatio.toFixed(2)} × before`,
    beforeCpuRatio && `main thread ${beforeCpuRatio.toFixed(2)} × before`,
  ]
  return {
    label,
    value: median(ofGateway.all),
    unit: 'ms',
    note: notes.filter(Boolean).join('; '),
    figures: { p95, bytes: ofGateway.bytes, cpu, beforeRatio, beforeCpuRatio, beforeBytes: earlier && ofEarlier.bytes },
  }
}

/** Is a warm-up without `measured`. */
async function measureRound(server: ListServer, path: string, measured: Measured | undefined): Promise<void> {
  const timesMs: number[] = []
  let bytes = 0
  {
    await using _writing = server.write()
    for (let turn = 0; turn < (measured ? REQUESTS : WARM_UP); turn++) {
      const startMs = performance.now()
      bytes = await server.read(path)
      timesMs.push(performance.now() - startMs)
      // Requests fall on every part of the turns of uploads.
      await pause(Math.random() * pauseMsMax)
    }
  }
  measured?.rounds.push(median(timesMs))
  measured?.all.push(...timesMs)
  const cpu = await measureCpu(server, path)
  measured?.cpu.push(cpu)
  if (measured) measured.bytes = bytes
}

async function measureCpu(server: ListServer, path: string): Promise<number> {
  const before = (await server.tell({ do: 'cpu-time' })) ?? 0
  for (let turn = 0; turn < REQUESTS; turn++) await server.read(path)
  return (((await server.tell({ do: 'cpu-time' })) ?? 0) - before) / REQUESTS
}

/** Profiled by itself, without uploads: a profile slows the server. */
async function profile({ label, path }: Case, server: ListServer, dir: string): Promise<void> {
  mkdirSync(dir, { recursive: true })
  await server.tell({ do: 'profile' })
  for (let turn = 0; turn < PROFILED; turn++) await server.read(path)
  await server.tell({ do: 'save-profile', path: join(dir, `${label.replaceAll(/[^a-z0-9]+/gi, '-')}.cpuprofile`) })
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchAdminLists()))
