import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type ConnectionShare, shareConnections } from './connection-share.ts'

async function startServer(share: ConnectionShare) {
  const accepted = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    accepted.add(socket)
    socket.once('close', () => accepted.delete(socket))
  })
  shareConnections(server, share)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  return {
    /** Resolves once the server ended the connection, or answered a byte of it. */
    async open(localAddress: string): Promise<'kept' | 'ended'> {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      sockets.push(socket)
      await once(socket, 'connect')
      await new Promise((resolve) => setImmediate(resolve))
      await expect.poll(() => socket.readableEnded || socket.destroyed || isAccepted(accepted, socket)).toBe(true)
      return isAccepted(accepted, socket) ? 'kept' : 'ended'
    },
    async closeFirst() {
      const [first] = sockets.splice(0, 1)
      const port = first?.localPort
      first?.destroy()
      await expect.poll(() => [...accepted].some((socket) => socket.remotePort === port)).toBe(false)
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of [...sockets, ...accepted]) socket.destroy()
      server.close()
    },
  }
}

const isAccepted = (accepted: ReadonlySet<Socket>, own: Socket) =>
  [...accepted].some((socket) => !socket.destroyed && socket.remotePort === own.localPort)

test('each client gets its share of the connections', async () => {
  await using server = await startServer({ perClientMax: 2 })
  expect([await server.open('127.0.0.2'), await server.open('127.0.0.2')]).toEqual(['kept', 'kept'])
  expect(await server.open('127.0.0.2')).toBe('ended')
  expect(await server.open('127.0.0.3')).toBe('kept')
})

test('a closed connection frees its place', async () => {
  await using server = await startServer({ perClientMax: 1 })
  expect(await server.open('127.0.0.2')).toBe('kept')
  await server.closeFirst()
  expect(await server.open('127.0.0.2')).toBe('kept')
  expect(await server.open('127.0.0.2')).toBe('ended')
})

test('an exempt peer has no limit', async () => {
  await using server = await startServer({ perClientMax: 1, isExempt: (address) => address === '127.0.0.2' })
  for (let n = 0; n < 4; n++) expect(await server.open('127.0.0.2')).toBe('kept')
  expect(await server.open('127.0.0.3')).toBe('kept')
  expect(await server.open('127.0.0.3')).toBe('ended')
})

test('closed connections are reported at most once a minute', async () => {
  const told: unknown[] = []
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await using server = await startServer({ perClientMax: 1, onEnded: (ended) => told.push(ended) })
  await server.open('127.0.0.2')
  for (let n = 0; n < 3; n++) expect(await server.open('127.0.0.2')).toBe('ended')
  expect(told).toEqual([{ client: '127.0.0.2', connections: 1 }])
  vi.advanceTimersByTime(60_000)
  await server.open('127.0.0.2')
  expect(told.slice(1)).toEqual([{ client: '127.0.0.2', connections: 3 }])
})
