// Measures listings of a bucket with a million objects: flat, in a folder, and with 1000 common prefixes.
import { runSql } from '#kernel/testing'
import type { ListRequest } from '../plugins/storage/contract.ts'
import { type ObjectStorage, openObjectStorage } from '../plugins/storage/testing/object-storage.ts'
import { type BenchRow, type BenchTable, renderBenchTable } from './bench-table.ts'

const FOLDERS = 1000
const KEYS_PER_FOLDER = 1000
const KEYS_PER_WRITE = 10_000
const PAGE = 1000
const LISTINGS = 1000
/** Below this, the medians show when the compiler of Node optimised, by a fifth. */
const WARM_UP = 500

interface Case {
  readonly label: string
  readonly request: (turn: number) => Omit<ListRequest, 'bucket' | 'limit'>
  readonly results: number
}

const folder = (n: number): string => `photos/${String(n % FOLDERS).padStart(4, '0')}/`
const key = (n: number): string => `${folder(Math.floor(n / KEYS_PER_FOLDER))}${String(n % KEYS_PER_FOLDER).padStart(4, '0')}.jpg`

const CASES: readonly Case[] = [
  { label: 'flat, from the start', request: () => ({}), results: PAGE },
  { label: 'flat, from anywhere', request: (turn) => ({ after: key((turn * 7919) % 990_000) }), results: PAGE },
  { label: 'flat, in a folder', request: (turn) => ({ prefix: folder(turn * 31) }), results: PAGE },
  { label: 'delimiter, in a folder of plain keys', request: (turn) => ({ prefix: folder(turn * 31), delimiter: '/' }), results: PAGE },
  { label: 'delimiter, 1000 common prefixes', request: () => ({ prefix: 'photos/', delimiter: '/' }), results: PAGE },
  { label: 'delimiter, 1 common prefix', request: () => ({ delimiter: '/' }), results: 1 },
]

/** Takes about ten seconds and 200 MB of temporary disk space. */
export async function benchList(): Promise<BenchTable> {
  await using storage = await openObjectStorage()
  await fill(storage)
  const rows: BenchRow[] = []
  for (const listing of CASES) rows.push(await measure(storage, listing))
  return { name: `list ${PAGE} of ${(FOLDERS * KEYS_PER_FOLDER).toLocaleString('en')} objects, ${LISTINGS} times`, rows }
}

/** Inserts the rows that puts would write, only into the listed table. */
async function fill({ database, buckets }: ObjectStorage): Promise<void> {
  const bucketId = buckets.require('photos').id
  const total = FOLDERS * KEYS_PER_FOLDER
  for (let from = 0; from < total; from += KEYS_PER_WRITE) {
    await database.write(async (tx) => {
      for (let n = from; n < from + KEYS_PER_WRITE; n++) {
        await runSql(
          tx,
          `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified, checksum) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          bucketId,
          key(n),
          `01M0000000${String(n).padStart(16, '0')}`,
          -1024 * (1_800_000_000_000 + n),
          n + 1,
          4096,
          n.toString(16).padStart(32, '0'),
          1_800_000_000_000 + n,
          'crc64nvme',
        )
      }
    })
  }
}

async function measure({ objects }: ObjectStorage, { label, request, results }: Case): Promise<BenchRow> {
  const timesMs: number[] = []
  for (let turn = -WARM_UP; turn < LISTINGS; turn++) {
    const startMs = performance.now()
    const page = await objects.listKeys({ bucket: 'photos', limit: PAGE, ...request(turn + WARM_UP) })
    if (turn >= 0) timesMs.push(performance.now() - startMs)
    const found = page.entries.length + page.commonPrefixes.length
    if (found !== results) throw new Error(`${label}: ${found} results instead of ${results}`)
  }
  timesMs.sort((a, b) => a - b)
  const at = (share: number): number => timesMs[Math.floor(timesMs.length * share)] ?? 0
  return { label, value: at(0.5), unit: 'ms', note: `p95 ${at(0.95).toFixed(1)} ms` }
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchList()))
