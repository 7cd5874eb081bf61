/**
 * `npm run bench -- [all] [--out results.json] [--compare results.json]`: runs each bench, prints a table each and all results as one line
 * of JSON, and writes the JSON to a file. `--help` names the benches and their options.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readCount } from '../e2e/fixtures/read-count.ts'
import { type BenchTable, renderBenchTable } from './bench-table.ts'
import type { PackingScale } from './packs/packing.ts'
import type { PipelineScale } from './pipeline.ts'
import type { CompareOptions } from './targets.ts'

const benches: Readonly<Record<string, () => Promise<BenchTable>>> = {
  'put-get': async () => (await import('./put-get.ts')).benchPutGet({ ...compareOptions(), only: values.only }),
  s3: async () => (await import('./s3-operations.ts')).benchS3Operations({ ...compareOptions(), only: values.only }),
  list: async () => (await import('./list.ts')).benchList(),
  'admin-lists': async () => (await import('./admin-lists.ts')).benchAdminLists({ ...compareOptions(), only: values.only }),
  spending: async () => (await import('./costs/spending.ts')).benchSpending(),
  'provider-list': async () => (await import('./health/provider-list.ts')).benchProviderList(),
  'data-set-list': async () => (await import('./health/data-set-list.ts')).benchDataSetList(),
  cid: async () => (await import('./cid.ts')).benchCid(),
  dashboard: async () => (await import('./dashboard.ts')).benchDashboard(),
  pipeline: async () => (await import('./pipeline.ts')).benchPipeline(pipelineScale()),
  packing: async () => (await import('./packs/packing.ts')).benchPacking(packingScale()),
  replacement: async () =>
    (await import('./replacement/move-contents.ts')).benchMove({
      contents: values.contents === undefined ? undefined : readCount('--contents', values.contents),
    }),
}

const help = `npm run bench -- [all | ${Object.keys(benches).join(' | ')}]… [options]

  put-get    PUT, GET and HEAD over HTTP beside servers that do nothing else
  s3         listings, bulk deletes, copies and uploads in parts over HTTP
  list       listings of a million objects inside the gateway
  admin-lists  lists of the Admin API
  spending   fees, spend limits and receipts of a million copies
  provider-list  the list of 1,000 providers during a refresh
  data-set-list  the list of 2,000 data sets during a refresh
  cid        piece CIDs
  dashboard  long lists in a browser, while they scroll; not part of all
  pipeline   objects to three copies on a local network
  packing    fees, speed, cold reads, memory and requests of packed objects; not part of all
  replacement  the move of a replica with 20,000 contents on a local network; not part of all

  --out file.json        writes the results there (default: bench/results/<time>.json)
  --compare file.json    adds ratios to earlier results, which another load of the machine may have changed
  put-get, s3 and admin-lists:
  --before <checkout>    the gateway of another checkout takes part in each round;
                         – in a row: it lacks the operation
  put-get and s3:
  --peer name=http://ACCESS_KEY:SECRET_KEY@127.0.0.1:PORT
                         another S3 server of this machine takes part in each round; may be repeated
  put-get, s3, admin-lists and pipeline:
  --profile <directory>  writes a CPU profile of the gateway, of admin-lists one per list,
                         and to its folder 'before' one of the other checkout (not of admin-lists)
  put-get, s3 and admin-lists:
  --only <text>          only loads whose name contains it; of admin-lists: matches the regular expression
  pipeline:
  --objects 1000 --queued 2000 --bytes 4096
  packing:
  --objects 100000 --single 1000 --reads 1000
  --queued 20000         objects that are put while every provider refuses uploads:
                         resident memory at each tenth; the cache is made as large as they need
  --rounds 12            rounds in which PUT and GET alternate at a gateway with packing and one without
  --only <text>          only parts whose name matches the regular expression: fees, cold, queued, requests
  replacement:
  --contents 20000
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    compare: { type: 'string' },
    before: { type: 'string' },
    peer: { type: 'string', multiple: true },
    objects: { type: 'string' },
    queued: { type: 'string' },
    bytes: { type: 'string' },
    single: { type: 'string' },
    reads: { type: 'string' },
    rounds: { type: 'string' },
    contents: { type: 'string' },
    profile: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
/** One needs a browser, the others take long. */
const onlyByName: readonly string[] = ['dashboard', 'packing', 'replacement']
const isAll = positionals.length === 0 || positionals.includes('all')
const chosen = isAll ? Object.keys(benches).filter((name) => !onlyByName.includes(name)) : positionals
const unknown = chosen.filter((name) => !Object.hasOwn(benches, name))

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`unknown bench: ${unknown.join(', ')}\n`)
  process.stdout.write(help)
  process.exitCode = unknown.length > 0 ? 2 : 0
} else {
  try {
    await runAll()
  } catch (error) {
    throw firstOf(error)
  }
}

/** Node prints neither of the errors of a SuppressedError: the later one comes from stopping the servers. */
function firstOf(error: unknown): unknown {
  return error instanceof SuppressedError ? firstOf(error.suppressed) : error
}

function compareOptions(): CompareOptions<never> {
  return { before: values.before, peers: values.peer, profileDir: values.profile && resolve(values.profile) }
}

function count(name: 'objects' | 'queued' | 'bytes' | 'single' | 'reads' | 'rounds'): number | undefined {
  const text = values[name]
  return text === undefined ? undefined : readCount(`--${name}`, text)
}

function packingScale(): PackingScale {
  return {
    objects: count('objects'),
    single: count('single'),
    reads: count('reads'),
    queued: count('queued'),
    rounds: count('rounds'),
    only: values.only,
  }
}

function pipelineScale(): PipelineScale {
  return {
    objects: count('objects'),
    queued: count('queued'),
    bytes: count('bytes'),
    profileDir: values.profile && resolve(values.profile),
  }
}

async function runAll(): Promise<void> {
  const earlier = values.compare ? readTables(values.compare) : []
  const tables: BenchTable[] = []
  for (const name of chosen) {
    const table = await (benches[name] as () => Promise<BenchTable>)()
    tables.push(table)
    process.stdout.write(`${renderBenchTable(withEarlier(table, earlier))}\n`)
  }
  const out = resolve(values.out ?? `bench/results/${new Date().toISOString().replaceAll(':', '-')}.json`)
  mkdirSync(dirname(out), { recursive: true })
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    // When far above the number of cores, other programs affected the results.
    load: loadavg()[0],
  }
  const results = { at: new Date().toISOString(), machine, tables }
  writeFileSync(out, `${JSON.stringify(results, null, 2)}\n`)
  process.stdout.write(`results written to ${out}\n${JSON.stringify(results)}\n`)
}

function readTables(path: string): readonly BenchTable[] {
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly tables: readonly BenchTable[] }).tables
}

/** Adds to each note the ratio to the earlier run. Only a hint: the two runs did not share one machine load. */
function withEarlier(table: BenchTable, earlier: readonly BenchTable[]): BenchTable {
  const before = earlier.find(({ name }) => name === table.name)
  if (!before) return table
  const rows = table.rows.map((row) => {
    const then = before.rows.find(({ label }) => label === row.label)?.value
    return then && row.value !== undefined
      ? { ...row, note: `${row.note ? `${row.note}; ` : ''}×${(row.value / then).toFixed(2)} of the earlier run` }
      : row
  })
  return { ...table, rows }
}
