import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Connections, type ConnectionsOptions } from './connections.ts'

interface TestOptions extends Partial<ConnectionsOptions> {
  /** Answers `/late`. */
  readonly answer?: (response: ServerResponse) => void
}

async function startServer({ answer = () => {}, ...options }: TestOptions) {
  const connections = new Connections({ max: 100, perClientMax: 100, stallMs: 60_000, answerBroken: () => '', ...options })
  const server = createServer()
  // A request with credentials, and one that is never answered.
  connections.serve(server, ({ url }, response, connection) => {
    if (url === '/signed') connection.trust()
    if (url === '/late') answer(response)
    else if (url !== '/endless') response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  return {
    connections,
    server,
    /** Resolves when the server has answered the request; without a path when it has accepted the connection. */
    async open(localAddress: string, path?: string): Promise<Socket> {
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
      sockets.push(socket)
      const accepted = once(server, 'connection')
      await once(socket, 'connect')
      await accepted
      if (path !== undefined) {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        await (path === '/endless' || path === '/late' ? once(server, 'request') : once(socket, 'data'))
      }
      socket.resume()
      return socket
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}

const isCut = (socket: Socket) => expect.poll(() => socket.destroyed || socket.readableEnded).toBe(true)

test('I-41: a client above its share loses its oldest connection without credentials, and others lose none', async () => {
  await using server = await startServer({ perClientMax: 2 })
  const other = await server.open('127.0.0.3')
  const signed = await server.open('127.0.0.2', '/signed')
  const oldest = await server.open('127.0.0.2')
  const newest = await server.open('127.0.0.2')
  await isCut(oldest)
  expect([signed, newest, other].map(({ readableEnded, destroyed }) => readableEnded || destroyed)).toEqual([false, false, false])
  expect(server.connections.count).toBe(3)
})

test('I-41: a new client finds a place while others without credentials have all of them', async () => {
  await using server = await startServer({ max: 4 })
  const running = await server.open('127.0.0.2', '/endless')
  const silent = [await server.open('127.0.0.2'), await server.open('127.0.0.3')]
  const signed = await server.open('127.0.0.4', '/signed')
  await server.open('127.0.0.5', '/signed')
  await isCut(silent[0] as Socket)
  await server.open('127.0.0.5', '/signed')
  await isCut(silent[1] as Socket)
  // Connections with a running request come last.
  expect(running.readableEnded).toBe(false)
  await server.open('127.0.0.5', '/signed')
  await isCut(running)
  // All places are of clients with credentials: the newest is refused.
  await isCut(await server.open('127.0.0.6'))
  expect(signed.readableEnded).toBe(false)
  expect(server.connections.count).toBe(4)
})

test('a closed connection frees its place', async () => {
  await using server = await startServer({ perClientMax: 1 })
  const first = await server.open('127.0.0.2', '/signed')
  first.destroy()
  await expect.poll(() => server.connections.count).toBe(0)
  await server.open('127.0.0.2', '/signed')
  await isCut(await server.open('127.0.0.2'))
})

test('an exempt peer has no limit', async () => {
  await using server = await startServer({ perClientMax: 1, isExempt: (address) => address === '127.0.0.2' })
  for (let n = 0; n < 4; n++) await server.open('127.0.0.2', '/signed')
  expect(server.connections.count).toBe(4)
  await server.open('127.0.0.3', '/signed')
  await isCut(await server.open('127.0.0.3'))
})

test('cut connections are reported at most once a minute', async () => {
  const told: unknown[] = []
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await using server = await startServer({ perClientMax: 1, onCut: (cut) => told.push(cut) })
  for (let n = 0; n < 4; n++) await server.open('127.0.0.2')
  expect(told).toEqual([{ client: '127.0.0.2', connections: 1 }])
  vi.advanceTimersByTime(60_000)
  await server.open('127.0.0.2')
  expect(told.slice(1)).toEqual([{ client: '127.0.0.2', connections: 3 }])
})

test('the traffic is that of open and closed connections', async () => {
  await using server = await startServer({})
  const request = Buffer.byteLength('GET /signed HTTP/1.1\r\nHost: x\r\n\r\n')
  const first = await server.open('127.0.0.2', '/signed')
  const once = server.connections.traffic
  expect(once).toEqual({ receivedBytes: request, sentBytes: expect.any(Number) })
  expect(once.sentBytes).toBeGreaterThan(0)
  first.destroy()
  await expect.poll(() => server.connections.count).toBe(0)
  await server.open('127.0.0.2', '/signed')
  expect(server.connections.traffic).toEqual({ receivedBytes: 2 * request, sentBytes: 2 * once.sentBytes })
})

test('a stop ends connections without a request at once, also one with a part of a head, and the others after their answer', async () => {
  const answers: (() => void)[] = []
  await using running = await startServer({ answer: (response) => void answers.push(() => response.end('whole')) })
  const { connections, server, open } = running
  const silent = await open('127.0.0.2')
  const idle = await open('127.0.0.3', '/')
  const partial = await open('127.0.0.4')
  partial.write('GET / HTTP/1.1\r\nHost')
  await expect.poll(() => connections.traffic.receivedBytes).toBeGreaterThan('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.length)
  const busy = await open('127.0.0.5', '/late')
  let received = ''
  busy.on('data', (bytes) => {
    received += bytes
  })
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  connections.stop()
  for (const socket of [silent, idle, partial]) await isCut(socket)
  expect([busy.destroyed, busy.readableEnded]).toEqual([false, false])
  for (const answer of answers) answer()
  await isCut(busy)
  expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nwhole/)
  await closed
})
