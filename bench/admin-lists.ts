// Measures every list of the Admin API with 100,000 rows at its beginning, middle and end, during uploads.
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { database } from '#kernel'
import { getRow, type TestKernel, testAuthorization } from '#kernel/testing'
import { s3Users } from '#plugins/s3'
import { buckets } from '#plugins/storage'
import { deleteObject, objectsOf, startFilledService, upload } from '../e2e/load/filled-service.ts'
import { historyKey, keyAt } from '../e2e/load/stored-rows.ts'
import { type BenchRow, type BenchTable, median, renderBenchTable } from './bench-table.ts'

const ROWS = 100_000
const BUCKETS = 1000
const USERS = 5000
const REQUESTS = 60
const WARM_UP = 5
/** Pause between two turns of the writer. */
const WRITE_PAUSE_MS = 5
/** Start of the measured page as a share of the list. */
const DEPTHS = [0, 0.5, 0.99]
const PAGE_SIZES = [50, 1000]

interface Case {
  readonly label: string
  readonly path: string
}

/** Takes about a minute and 600 MB of temporary disk space. */
export async function benchAdminLists(): Promise<BenchTable> {
  await using svc = await startFilledService(ROWS)
  await addBucketsAndUsers(svc)
  const cases = await listCases(svc)
  const writing = new AbortController()
  const written = keepWriting(svc, writing.signal)
  try {
    const rows: BenchRow[] = []
    for (const listCase of cases) rows.push(await measure(svc, listCase))
    return { name: `Admin lists of ${ROWS.toLocaleString('en')} rows during uploads and deletions, ${REQUESTS} times`, rows }
  } finally {
    writing.abort()
    await written
  }
}

async function addBucketsAndUsers({ kernel }: TestKernel): Promise<void> {
  const names = Array.from({ length: BUCKETS }, (_, n) => `many-${n}`)
  await Promise.all(names.map((name) => kernel.get(buckets).create({ name, ownerAccessKey: null })))
  await Promise.all(Array.from({ length: USERS }, () => kernel.get(s3Users).create('user')))
}

async function keepWriting(svc: TestKernel, stop: AbortSignal): Promise<void> {
  for (let turn = 0; !stop.aborted; turn++) {
    const key = `${keyAt((turn * 7919) % ROWS)}.new`
    await upload(svc, turn % 2 === 0 ? 'objects' : 'deleted', key)
    if (turn % 2 === 1) await deleteObject(svc, 'deleted', key)
    await upload(svc, 'history', historyKey)
    await pause(WRITE_PAUSE_MS)
  }
}

async function listCases(svc: TestKernel): Promise<readonly Case[]> {
  const affected = '/api/v1/buckets/objects/storage-health/affected-versions'
  const markers = await readMarkers(svc)
  const ofSizes = PAGE_SIZES.flatMap((limit) =>
    [
      ...atDepths('objects', (n) => `${objectsOf('objects')}?${after(n)}`),
      { label: 'objects, a folder', path: `${objectsOf('objects')}?prefix=photos/0050/&delimiter=/` },
      { label: 'objects, the folders', path: `${objectsOf('objects')}?prefix=photos/&delimiter=/` },
      ...atDepths('versions of a key', (n) => `${objectsOf('history')}/versions?key=${historyKey}${markers.get(n)?.version}`),
      ...atDepths('deleted', (n) => `${objectsOf('deleted')}/deleted?${after(n)}`),
      ...atDepths('deletions', (n) => `${objectsOf('deleted')}/deletions?${markers.get(n)?.deletion}`),
      { label: 'deletions, the oldest folder', path: `${objectsOf('deleted')}/deletions?prefix=photos/0000/` },
      ...atDepths('affected versions', (n) => `${affected}?${markers.get(n)?.affected}`),
    ].map(({ label, path }) => ({ label: `${label}, ${limit} a page`, path: `${path}&limit=${limit}` })),
  )
  return [...ofSizes, ...taskCases(), ...wholeCases]
}

const atDepths = (label: string, path: (n: number) => string): Case[] =>
  DEPTHS.map((depth) => ({ label: `${label} at ${depth * 100} %`, path: path(depth * ROWS) }))

/** Query parameters for the pages at each depth. */
async function readMarkers(svc: TestKernel) {
  const markers = new Map<number, { readonly version: string; readonly deletion: string; readonly affected: string }>()
  for (const depth of DEPTHS) {
    const n = depth * ROWS
    markers.set(n, { version: await marker(svc, n), deletion: await markerAfter(svc, n), affected: await affectedAfter(svc, n) })
  }
  return markers
}

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

const after = (n: number): string => (n === 0 ? '' : `after=${keyAt(n)}`)
const marker = async (svc: TestKernel, n: number): Promise<string> =>
  n === 0 ? '' : `&version_marker=${await versionAt(svc, 'history', ROWS - n)}`
const markerAfter = async (svc: TestKernel, n: number): Promise<string> =>
  n === 0 ? '' : `after=${await versionAt(svc, 'deleted', ROWS - n, 1)}`

async function affectedAfter(svc: TestKernel, n: number): Promise<string> {
  if (n === 0) return ''
  const time = '2026-01-01T00:00:00Z'
  const version = await versionAt(svc, 'objects', n)
  return `key_marker=${keyAt(n)}&version_marker=${version}&created_at_marker=${time}&stale_before=${time}`
}

/** Version id of the n-th oldest version, or delete marker, of a bucket. */
async function versionAt({ kernel }: TestKernel, bucket: string, n: number, isMarker: 0 | 1 = 0): Promise<string> {
  const row = await getRow<{ id: string }>(
    kernel.get(database).read,
    `select version_id as id from object_versions where bucket_id = ? and is_delete_marker = ? order by version_id limit 1 offset ?`,
    kernel.get(buckets).require(bucket).id,
    isMarker,
    n,
  )
  if (row === undefined) throw new Error(`${bucket} has no version ${n}`)
  return row.id
}

async function measure(svc: TestKernel, { label, path }: Case): Promise<BenchRow> {
  const timesMs: number[] = []
  let bytes = 0
  for (let turn = -WARM_UP; turn < REQUESTS; turn++) {
    const startMs = performance.now()
    bytes = await readAnswer(svc.url, path)
    if (turn >= 0) timesMs.push(performance.now() - startMs)
    // Lets the writer run between two requests.
    await pause(1)
  }
  const p95 = timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * 0.95)] ?? 0
  return {
    label,
    value: median(timesMs),
    unit: 'ms',
    note: `p95 ${p95.toFixed(1)} ms, ${(bytes / 1024).toFixed(0)} KiB`,
    figures: { p95, bytes },
  }
}

/** Resolves with the answer's bytes after the last one. Does not parse, which would measure the client. */
function readAnswer(baseUrl: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(baseUrl + path, { headers: { authorization: testAuthorization } }, (response) => {
      let bytes = 0
      if (response.statusCode !== 200) reject(new Error(`GET ${path} failed with status ${response.statusCode}`))
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.once('error', reject)
      response.once('end', () => resolve(bytes))
    })
    sent.once('error', reject)
    sent.end()
  })
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchAdminLists()))
