import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
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
