import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { Response } from './connection.ts'
import { connectionLimits as limits } from './connection-limits.ts'
import { Connections } from './connections.ts'

/** A server whose responses the test sends. */
async function openHeld({ stallMs = 60_000 } = {}) {
  const running: Response[] = []
  const server = createServer()
  const connections = new Connections({
    max: 10,
    perClientMax: 10,
    stallMs,
    answerBroken: () => 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
  })
  let side: Socket | undefined
  let parsed = 0
  connections.serve(server, (_, response) => void running.push(response))
  server.on('connection', (socket) => {
    side = socket
  })
  for (const event of ['request', 'checkContinue']) server.on(event, () => void parsed++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('error', () => {}).setEncoding('latin1')
  const read = () =>
    socket.on('data', (piece: string) => {
      text += piece
    })
  return {
    socket,
    connections,
    running,
    parsed: () => parsed,
    side: () => side as Socket,
    read,
    text: () => text,
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1])),
    /** Answers each request when it starts, until `count` have started. */
    async answerAll(count: number) {
      for (let index = 0; index < count; index += 1) {
        await expect.poll(() => running.length, { interval: 1, timeout: 5000 }).toBe(index + 1)
        running[index]?.end(`<${running[index]?.req.url}>`)
      }
    },
    [Symbol.asyncDispose]: async () => {
      socket.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}

const gets = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${from + index} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')

test('a connection with many waiting requests is not read until some are answered', async () => {
  await using held = await openHeld()
  held.read()
  const [first, more] = [1 + limits.keptRequestsPauseAt, 20]
  held.socket.write(gets(0, first))
  await expect.poll(() => held.side()?.isPaused()).toBe(true)
  expect(held.running).toHaveLength(1)
  held.socket.write(gets(first, more))
  await expect.poll(() => held.socket.writableLength).toBe(0)
  expect(held.parsed()).toBe(first)
  await held.answerAll(first + more)
  await expect.poll(() => held.statuses().length).toBe(first + more)
  const bodies = [...held.text().matchAll(/<\/(\d+)>/g)].map((match) => Number(match[1]))
  expect(bodies).toEqual(Array.from({ length: first + more }, (_, index) => index))
  expect(held.side().isPaused()).toBe(false)
})

test('I-40: more requests in one read than may wait are not parsed, and the connection closes after those that wait', async () => {
  await using held = await openHeld()
  held.read()
  const kept = 1 + limits.keptRequestsMax
  held.socket.write(gets(0, kept + 1000))
  await held.answerAll(kept)
  await once(held.socket, 'end')
  expect(held.parsed()).toBe(kept)
  expect(held.statuses()).toHaveLength(kept)
  expect(held.text().match(/connection: close/gi)).toHaveLength(1)
})

test('I-40: the waiting requests of a connection are bounded in bytes, with their bodies', async () => {
  await using held = await openHeld()
  held.read()
  const put = (url: string) => `PUT ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`
  held.socket.write(gets(0, 1) + Array.from({ length: 10 }, (_, number) => put(`/${number + 1}`)).join(''))
  await expect.poll(() => held.running.length).toBe(1)
  await held.answerAll(2)
  for (let at = 2; !held.socket.readableEnded; at++) {
    await expect.poll(() => held.running.length > at || held.socket.readableEnded).toBe(true)
    held.running[at]?.end()
  }
  // A waiting body counts at most what Node buffers.
  expect(held.statuses().length).toBeGreaterThan(2)
  expect(held.statuses().length).toBeLessThanOrEqual(1 + limits.keptBytesMax / 60_000)
})

test.each([
  ['an upgrade', 'GET /first HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['an upgrade with a body', 'PUT /first HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc'],
  ['another coding before chunked', 'PUT /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['another coding', 'PUT /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n'],
  [
    'chunked in HTTP/1.0',
    'PUT /first HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  ],
  ['a close', 'GET /first HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
])('I-40: after %s the request is answered, nothing behind it is one, and the connection closes', async (_, first) => {
  await using held = await openHeld()
  held.read()
  held.socket.write(`${first}${gets(1, 3)}`)
  await expect.poll(() => held.running.length).toBe(1)
  held.running[0]?.req.resume()
  await expect.poll(() => held.running[0]?.req.complete).toBe(true)
  held.socket.write(gets(4, 3))
  held.running[0]?.end('answer')
  await once(held.socket, 'end')
  expect(held.text()).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*answer\r?\n?/i)
  expect(held.parsed()).toBe(1)
  expect(held.statuses()).toEqual([200])
})

test('the answer to a request is sent although what follows it is not HTTP', async () => {
  await using held = await openHeld()
  held.read()
  held.socket.write(`${gets(0, 1)}garbage\r\n\r\n`)
  await expect.poll(() => held.running.length).toBe(1)
  held.running[0]?.end('answer')
  await once(held.socket, 'end')
  expect(held.statuses()).toEqual([200])
})

test('I-41: a connection that the server has closed is cut when the client keeps its side open', async () => {
  await using held = await openHeld()
  held.read()
  held.socket.write('garbage\r\n\r\n')
  await once(held.socket, 'end')
  expect(held.statuses()).toEqual([400])
  // It no longer counts, and the client never closes it.
  expect(held.connections.count).toBe(0)
  expect(held.socket.writable).toBe(true)
  await expect.poll(() => held.side().destroyed, { timeout: limits.endingMs + 5000 }).toBe(true)
})

test('I-41: a client that takes nothing of its answers is cut, whatever their size', async () => {
  await using held = await openHeld({ stallMs: 200 })
  const small = Buffer.alloc(32 * 1024, 'x')
  let answered = 0
  const timer = setInterval(() => {
    for (; held.running.length > answered; answered++) held.running[answered]?.end(small)
    if (held.socket.writableLength === 0) held.socket.write(gets(0, 8))
  }, 1)
  await expect.poll(() => held.side()?.destroyed, { timeout: 20_000 }).toBe(true)
  clearInterval(timer)
  expect(held.connections.count).toBe(0)
})
