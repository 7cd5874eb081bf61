/** A pgbouncer before a PostgreSQL server of tests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { serverUser } from './postgres.ts'

const program = '/usr/sbin/pgbouncer'
const port = 5432
const startMs = 10_000
const pollMs = 10

/** False when this machine has no pgbouncer: its tests are then skipped. */
export const hasPgbouncer = (): boolean => existsSync(program)

type PoolMode = 'session' | 'transaction'

interface Pgbouncer extends AsyncDisposable {
  readonly dsn: string
  /** Sets the mode of open connections too. */
  setMode(mode: PoolMode): Promise<void>
}

/** `dsn` is that of a server with a Unix socket. */
export async function startPgbouncer(dsn: string, mode: PoolMode): Promise<Pgbouncer> {
  const url = new URL(dsn)
  const user = serverUser()
  const dir = mkdtempSync(join(tmpdir(), 'svc-pgbouncer-'))
  const file = join(dir, 'pgbouncer.ini')
  const configure = (poolMode: PoolMode) =>
    writeFileSync(file, configurationOf({ host: decodeURIComponent(url.hostname), user: url.username, dir, poolMode }))
  configure(mode)
  if (user) chownSync(dir, user.uid, user.gid)
  const pooler = spawn(program, [file], { ...user, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })
  pooler.stderr.resume()
  await answers(join(dir, `.s.PGSQL.${port}`))
  return {
    dsn: dsn.replace(url.hostname, encodeURIComponent(dir)),
    async setMode(poolMode) {
      configure(poolMode)
      pooler.kill('SIGHUP')
      for (let log = ''; !log.includes('SIGHUP'); ) log += await once(pooler.stderr, 'data')
    },
    async [Symbol.asyncDispose]() {
      const ended = once(pooler, 'exit')
      pooler.kill('SIGKILL')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const configurationOf = ({ host, user, dir, poolMode }: { host: string; user: string; dir: string; poolMode: PoolMode }): string => `
[databases]
* = host=${host} user=${user}
[pgbouncer]
listen_addr =
listen_port = ${port}
unix_socket_dir = ${dir}
auth_type = any
pool_mode = ${poolMode}
default_pool_size = 40
ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, options
`

async function answers(path: string): Promise<void> {
  const deadlineMs = performance.now() + startMs
  for (;;) {
    const socket = connect(path)
    try {
      await once(socket, 'connect')
      return
    } catch (error) {
      if (performance.now() > deadlineMs) throw error
      await pause(pollMs)
    } finally {
      socket.destroy()
    }
  }
}
