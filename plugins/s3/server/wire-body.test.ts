import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WireBody } from './wire-body.ts'

test.each([
  ['none of its body', ''],
  ['a part of its body', 'part'],
])('a client that sent %s and disconnected before it is read ends the request at once', async (_, sent) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`PUT /photos/key HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n\r\n${sent}`)
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  // A lookup that takes longer than the client stays connected.
  const lookup = Promise.withResolvers<void>()
  request.once('error', () => {}).once('close', lookup.resolve)
  socket.destroy()
  await lookup.promise
  const body = new WireBody(request, response, { bytesPerSecondMin: 1024, idleMs: 600_000, awaitsContinue: false })
  await expect(Array.fromAsync(body)).rejects.toMatchObject({ code: 'IncompleteBody', closesConnection: true })
  server.close()
})

/** The request of these bytes, when the parser has read all of them. */
async function received(text: string): Promise<{ readonly request: IncomingMessage; readonly wire: WireBody } & Disposable> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(text)
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  const awaitsContinue = request.headers.expect !== undefined
  const wire = new WireBody(request, response, { bytesPerSecondMin: 1024, idleMs: 600_000, awaitsContinue })
  return {
    request,
    wire,
    [Symbol.dispose]() {
      socket.destroy()
      server.close()
    },
  }
}

test('a body that arrived with its head is taken at once, and nothing is left to read', async () => {
  using sent = await received('PUT /photos/key HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nbytes')
  expect(sent.wire.arrived()?.toString()).toBe('bytes')
  expect([sent.wire.receivedBytes, sent.wire.unreadBytes]).toEqual([5, 0])
  // The end of the stream frees the connection for the next request.
  await once(sent.request, 'end')
})

test.each([
  ['a part of the body is missing', 'Content-Length: 6\r\n\r\nbytes'],
  ['the body is empty', 'Content-Length: 0\r\n\r\n'],
])('nothing is taken when %s', async (_, rest) => {
  using sent = await received(`PUT /photos/key HTTP/1.1\r\nHost: x\r\n${rest}`)
  expect(sent.wire.arrived()).toBeUndefined()
  expect(sent.wire.receivedBytes).toBe(0)
})

/** The request of a body of 200 bytes, of which the test sends pieces. */
async function receiving() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  socket.write('PUT /photos/key HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n\r\n')
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const wire = new WireBody(request, response, { bytesPerSecondMin: 10, idleMs: 60_000, awaitsContinue: false })
  const pieces = wire[Symbol.asyncIterator]()
  return {
    wire,
    next: () => pieces.next(),
    /** Sends bytes while a read waits for them, after it has waited for some time. */
    async sendAfter(ms: number, text: string): Promise<void> {
      const piece = pieces.next()
      await new Promise((resolve) => setImmediate(resolve))
      vi.advanceTimersByTime(ms)
      socket.write(text)
      expect(String((await piece).value)).toBe(text)
    },
    send: (text: string) => new Promise<void>((resolve) => socket.write(text, () => resolve())),
  }
}

const timeout = { code: 'RequestTimeout', closesConnection: true }

test('a body may fall behind its minimum rate by the idle timeout in all, and bytes above it count', async () => {
  const body = await receiving()
  // 59 s for one byte, which is worth 0.1 s.
  await body.sendAfter(59_000, 'x')
  await body.sendAfter(1000, 'y'.repeat(50))
  await body.sendAfter(4000, 'z')
  const late = expect(body.next()).rejects.toMatchObject(timeout)
  await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(1300)
  await late
})

test('a body is not late while nobody reads it', async () => {
  const body = await receiving()
  await body.sendAfter(59_000, 'x')
  // Storage may take this long to make room for it.
  vi.advanceTimersByTime(3_600_000)
  await body.send('y')
  expect(String((await body.next()).value)).toBe('y')
})

test('a deadline for the whole body ends it, until it is lifted', async () => {
  const body = await receiving()
  body.wire.requireWithin(10_000)
  await body.sendAfter(6000, 'x'.repeat(100))
  body.wire.requireWithin(undefined)
  await body.sendAfter(6000, 'x'.repeat(20))
  body.wire.requireWithin(10_000)
  await body.sendAfter(6000, 'x'.repeat(20))
  const late = expect(body.next()).rejects.toMatchObject(timeout)
  await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(4001)
  await late
})
