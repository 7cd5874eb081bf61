/**
 * `node tools/run.mjs e2e/backup/upgrades.ts --from <earlier release> --times 20`: upgrades under load. Each starts the earlier release, stops
 * it while clients put objects, and starts this one on the same data, which copies and migrates the database. `--from` and `--to` name a
 * checkout, an installed package, or the folder of an archive. The new process starts at the SIGTERM and waits for the data. With
 * `--order after` it starts when the earlier one has ended, as under a service manager; with `--order ready` it waits already.
 * `--migrate` adds a migration, `--rows N` so many rows of 2 KB to the database. `--warm`: code that the new release compiled before is kept.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import { saveConfigFile } from '#kernel/system'
import { freePort } from '../fixtures/free-port.ts'
import { createGatewayCalls, writeConfig } from '../fixtures/gateways/gateway.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'
import { type Acknowledged, put, readBack } from './load.ts'

const bucket = 'upgraded'
const clients = 4
const loadMs = 1500
const rowBytes = 2000
const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    to: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
    times: { type: 'string', default: '20' },
    order: { type: 'string', default: 'with' },
    rows: { type: 'string', default: '0' },
    migrate: { type: 'boolean', default: false },
    warm: { type: 'boolean', default: false },
  },
})
if (values.from === undefined) throw new Error('--from names an earlier release: a checkout with its node_modules, or an installed package')
if (!['after', 'ready', 'with'].includes(values.order)) throw new Error('--order is after, ready or with')
const { nodeFlags } = (await import(new URL('../../cli/pinned-node.js', import.meta.url).href)) as { readonly nodeFlags: readonly string[] }

interface Running {
  readonly child: ChildProcess
  log(): string
  /** When a line with the text was first read, in the time of `performance.now()`. */
  atMs(text: string): number | undefined
}

/** @param cacheDir for the code that it compiled. Default: that of the user. */
function serve(release: string, configPath: string, cacheDir: string | undefined, ...flags: readonly string[]): Running {
  const args = [join(resolve(release), 'cli', 'svc.js'), 'serve', '--config', configPath, ...flags]
  // The archive has its own Node.
  const own = join(resolve(release), 'node/bin/node')
  const child = spawn(existsSync(own) ? own : process.execPath, [...nodeFlags, ...args], {
    env: { ...process.env, ...(cacheDir !== undefined && { XDG_CACHE_HOME: cacheDir }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines: { readonly text: string; readonly atMs: number }[] = []
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void lines.push({ text, atMs: performance.now() }))
  return {
    child,
    log: () => lines.map(({ text }) => text).join(''),
    atMs: (text) => lines.find((line) => line.text.includes(text))?.atMs,
  }
}

/** Puts objects until it is stopped, through any pause. */
function startLoad(s3: S3Client) {
  const acknowledged: Acknowledged[] = []
  let isStopped = false
  let lastMs = performance.now()
  let longest = { ms: 0, fromMs: lastMs }
  const run = async (client: number) => {
    for (let turn = 0; !isStopped; turn++) {
      try {
        acknowledged.push(await put(s3, bucket, `client-${client}-${turn}`, randomBytes(turn % 2 === 0 ? 2000 : 30_000)))
        const nowMs = performance.now()
        if (nowMs - lastMs > longest.ms) longest = { ms: nowMs - lastMs, fromMs: lastMs }
        lastMs = nowMs
      } catch {
        // The gateway is being replaced: nothing was acknowledged.
      }
      await sleep(20)
    }
  }
  const ended = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  return {
    acknowledged,
    /** The longest time without an answer. */
    longest: () => longest,
    async stop() {
      isStopped = true
      await ended
    },
  }
}

/** A plugin with a migration that the database does not have. */
function addMigration(dir: string, configPath: string): void {
  const folder = join(dir, 'later')
  mkdirSync(folder)
  const statements = JSON.stringify(['create table later (id integer primary key)'])
  writeFileSync(
    join(folder, 'plugin.ts'),
    `import { dbSchemas, defineMigration, definePlugin } from 'svc/kernel'
    const migrations = [defineMigration('0001-init', ${statements})]
    export const plugin = definePlugin({ id: 'later', contributes: [dbSchemas.with({ name: 'later', load: async () => ({ migrations }) })] })`,
  )
  saveConfigFile(configPath, { 'plugins.packages': [join(folder, 'plugin.ts')] })
}

function addRows(dir: string, rows: number): void {
  using database = new DatabaseSync(join(dir, 'db', 'svc.db'), { timeout: 5000 })
  database.exec('create table ballast (id integer primary key, bytes blob)')
  database
    .prepare(
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?) insert into ballast (bytes) select randomblob(?) from n',
    )
    .run(rows, rowBytes)
}

async function upgradeOnce(from: string) {
  using place = temporaryDirectory()
  const [s3Port, adminPort] = [await freePort(), await freePort()]
  // An earlier release may not have the setting.
  const settings = { 'packs.default': undefined, 'server.port': `127.0.0.1:${s3Port}`, 'admin.addr': `127.0.0.1:${adminPort}` }
  const configPath = await writeConfig(place.path, { dir: place.path, settings })
  const calls = createGatewayCalls({ admin: `http://127.0.0.1:${adminPort}`, s3: `http://127.0.0.1:${s3Port}` })
  const first = serve(from, configPath, undefined)
  const user = await until('the earlier release', () => calls.createUser().catch(() => undefined), { everyMs: 50 })
  if (Number(values.rows) > 0) addRows(place.path, Number(values.rows))
  if (values.migrate) addMigration(place.path, configPath)
  const s3 = calls.connect(user)
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const load = startLoad(s3)
  await sleep(loadMs)
  const times = await replace(first, configPath, join(place.path, 'compiled'), () => load.acknowledged.length)
  await sleep(loadMs)
  await load.stop()
  const lost = await readBack(s3, bucket, load.acknowledged)
  const copies = readdirSync(join(place.path, 'db')).filter((name) => name.includes('.before-upgrade'))
  times.second.child.kill('SIGTERM')
  await once(times.second.child, 'exit')
  const { ms: longestMs, fromMs } = load.longest()
  const since = (atMs: number | undefined) => (atMs === undefined ? 'never' : Math.round(atMs - times.stopMs))
  const steps = {
    'last answer': since(fromMs),
    'earlier one stopped': since(first.atMs('"stopped"')),
    ended: since(times.endedMs),
    'database copied': since(times.second.atMs('database copied')),
    running: since(times.second.atMs(' is running')),
    'first answer': since(fromMs + longestMs),
  }
  return { objects: load.acknowledged.length, lost, longestMs: Math.round(longestMs), copies: copies.length, steps }
}

/** Stops the first process and starts the second. Resolves when clients are answered again. */
async function replace(first: Running, configPath: string, cacheDir: string, countAnswers: () => number) {
  mkdirSync(cacheDir)
  // The new process waits for the data, as with a service manager.
  const start = () => serve(values.to, configPath, values.warm ? undefined : cacheDir, '--wait', '60s')
  const ready = values.order === 'ready' ? start() : undefined
  if (ready) await until('the wait for the data', async () => ready.atMs('waiting for another svc'), { everyMs: 20 })
  const ended = once(first.child, 'exit').then(() => performance.now())
  const stopMs = performance.now()
  first.child.kill('SIGTERM')
  const early = ready ?? (values.order === 'with' ? start() : undefined)
  const endedMs = await ended
  const before = countAnswers()
  const second = early ?? start()
  await until('the upgraded gateway', async () => {
    if (second.child.exitCode !== null) throw new Error(`svc ended with ${second.child.exitCode}: ${second.log()}`)
    return (second.log().includes(' is running') && countAnswers() > before + clients) || undefined
  })
  return { second, stopMs, endedMs }
}

const pauses: number[] = []
let [objects, lost] = [0, 0]
for (let time = 0; time < Number(values.times); time++) {
  const result = await upgradeOnce(values.from)
  pauses.push(result.longestMs)
  objects += result.objects
  lost += result.lost.length
  const steps = Object.entries(result.steps).map(([name, ms]) => `${name} ${ms}`)
  process.stdout.write(
    `${time + 1}: ${result.objects} objects, ${result.lost.length} lost, ${result.longestMs} ms without answers, ${result.copies} copies\n` +
      `  ms after SIGTERM: ${steps.join(', ')}\n`,
  )
  for (const line of result.lost) process.stdout.write(`  ${line}\n`)
}
pauses.sort((a, b) => a - b)
process.stdout.write(
  `${objects} acknowledged objects, ${lost} lost; without answers: median ${pauses[Math.floor(pauses.length / 2)]} ms, longest ${pauses.at(-1)} ms\n`,
)
process.exitCode = lost === 0 ? 0 : 1
