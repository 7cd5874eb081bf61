/** A proxy before a PostgreSQL server of tests, to interrupt its connections. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const socketName = '.s.PGSQL.5432'
/** The message of a commit: its length, with these four bytes, and its text. */
const commitMessage = Buffer.from('\0\0\0\x0bcommit\0')
const lockMessage = Buffer.from('pg_try_advisory_lock')

/** What gets lost of a message. After it the connection breaks. */
type LostPart = 'request' | 'answer'

interface PostgresProxy extends Disposable {
  readonly dsn: string
  /** Breaks the connections. The server does not learn it. */
  breakAll(): void
  /** While it is down it refuses connections; open ones break. */
  setDown(isDown: boolean): void
  /** The next commit loses this part. With `staysDown` the proxy is down then. */
  loseCommit(part: LostPart, options?: { readonly staysDown?: boolean }): void
  /** The next request for the lock of the database loses its answer. The server does not learn it. */
  loseLock(): void
}

/** `dsn` is that of a server with a Unix socket. */
export async function startPostgresProxy(dsn: string): Promise<PostgresProxy> {
  const url = new URL(dsn)
  const dir = mkdtempSync(join(tmpdir(), 'svc-proxy-'))
  const clients: Socket[] = []
  const servers: Socket[] = []
  let isDown = false
  let next: { readonly message: Buffer; readonly part: LostPart; readonly staysDown: boolean } | undefined

  const breakAll = () => clients.splice(0).forEach((client) => void client.destroy())
  const setDown = (value: boolean) => {
    isDown = value
    if (isDown) breakAll()
  }

  function relay(client: Socket): void {
    const server = connect(join(decodeURIComponent(url.hostname), socketName))
    let onAnswer = (data: Buffer): void => void (client.destroyed || client.write(data))
    clients.push(client)
    servers.push(server)
    const lose = (staysDown: boolean) => {
      // The server also sends the end of the session.
      onAnswer = () => {}
      client.destroy()
      setDown(staysDown || isDown)
    }
    client
      .on('error', () => {})
      .on('data', (data: Buffer) => {
        const lost = next && data.includes(next.message) ? next : undefined
        if (lost) next = undefined
        if (lost?.part === 'request') {
          server.destroy()
          lose(lost.staysDown)
          return
        }
        if (lost) onAnswer = () => lose(lost.staysDown)
        server.write(data)
      })
    server
      .on('error', () => {})
      .on('data', (data: Buffer) => onAnswer(data))
      .on('close', () => client.destroySoon())
  }

  const proxy = createServer((client) => (isDown ? void client.on('error', () => {}).destroy() : relay(client)))
  await once(proxy.listen(join(dir, socketName)), 'listening')
  return {
    dsn: dsn.replace(url.hostname, encodeURIComponent(dir)),
    breakAll,
    setDown,
    loseCommit(part, { staysDown = false } = {}) {
      next = { message: commitMessage, part, staysDown }
    },
    loseLock() {
      next = { message: lockMessage, part: 'answer', staysDown: false }
    },
    [Symbol.dispose]() {
      for (const socket of [...clients, ...servers]) socket.destroy()
      proxy.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
