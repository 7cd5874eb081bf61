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
  const body = new WireBody(request, response, { idleMs: 600_000, awaitsContinue: false })
  await expect(Array.fromAsync(body)).rejects.toMatchObject({ code: 'IncompleteBody', closesConnection: true })
  server.close()
})
