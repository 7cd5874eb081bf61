import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '#kernel'
import { limits } from '#kernel/system'
import { type LogFields, silentLog } from '#kernel/testing'
import { createSelfSigned } from '../testing/self-signed.ts'
import { signedRequest } from '../testing/signed-request.ts'
import { noStoredSettings, owner, startTestServer } from '../testing/test-server.ts'
import { openTestStorage } from '../testing/test-storage.ts'
import { DocumentMemory } from './document-memory.ts'
import { s3Listener } from './listener.ts'
import { OpenConnections } from './open-connections.ts'
import { OperationCounts } from './request-metrics.ts'

async function startListener(tls: object = { enabled: false }, port = '127.0.0.1:0') {
  const storage = await openTestStorage()
  onTestFinished(() => storage[Symbol.asyncDispose]())
  await storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const openConnections = new OpenConnections()
  const running = await s3Listener.start({
    server: { port, max_connections: 100, max_connections_per_client: 90, max_requests: 10 },
    tls,
    ...noStoredSettings,
    accessSettings: { enabled: true, level: 'info' },
    users: { findSigner: (accessKey: string) => (accessKey === owner.accessKey ? owner : undefined), noteUse: () => {} },
    buckets: storage.buckets,
    objects: storage.objects,
    clock: systemClock,
    log: silentLog,
    operationCounts: new OperationCounts(),
    documentMemory: new DocumentMemory(),
    openConnections,
  })
  return { ...running, storage, openConnections, port: Number(new URL(running.url).port) }
}

test('a stop finishes the running write, answers it, and accepts no further connections', async () => {
  const { storage, port, stop } = await startListener()
  const socket = connect(port, '127.0.0.1')
  const unsignedHeaders = { expect: '100-continue', 'content-length': '200' }
  const { head } = signedRequest(port, { method: 'PUT', url: '/photos/key', payload: 'UNSIGNED-PAYLOAD', user: owner, unsignedHeaders })
  socket.write(head)
  const [continued] = await once(socket, 'data')
  expect(String(continued)).toContain('100 Continue')
  const stopped = stop()
  socket.write(Buffer.alloc(200))
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 [\s\S]*connection: close/i)
  await stopped
  expect(await storage.versionsOf('photos', 'key')).toHaveLength(1)
  await expect(startListener({ enabled: false }, `127.0.0.1:${port}`).then(({ stop }) => stop())).resolves.toBeUndefined()
})

test('a stop waits neither for a client that sends nothing nor for one that keeps its connection after a download', async () => {
  const { port, stop } = await startListener()
  const body = Buffer.alloc(16 * 1024 * 1024, 'x')
  const writer = connect(port, '127.0.0.1')
  writer.write(signedRequest(port, { method: 'PUT', url: '/photos/large', body, user: owner }).head)
  writer.write(body)
  await once(writer, 'data')
  writer.destroy()
  const silent = connect(port, '127.0.0.1')
  await once(silent, 'connect')
  const reader = connect(port, '127.0.0.1')
  const ended = [silent, reader].map((socket) => once(socket, 'close'))
  silent.on('error', () => {})
  reader.write(signedRequest(port, { method: 'GET', url: '/photos/large', user: owner }).head)
  // The answer has begun, so its header says that the connection is kept.
  const [first] = await once(reader, 'data')
  expect(String(first)).toMatch(/^HTTP\/1.1 200 [\s\S]*keep-alive/i)
  let received = first.length
  reader.pause()
  const begunMs = performance.now()
  const stopped = stop()
  reader.on('data', (bytes) => {
    received += bytes.length
  })
  reader.resume()
  await stopped
  expect(performance.now() - begunMs).toBeLessThan(limits.stopMs / 2)
  await Promise.all(ended)
  expect(received).toBeGreaterThan(body.length)
})

test.each([
  [':0', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['localhost:0', /^http:\/\/127\.0\.0\.1:\d+$/],
])('a server on %s is reachable at %s', async (address, url) => {
  const listener = await startListener({ enabled: false }, address)
  expect(listener.url).toMatch(url)
  expect((await fetch(listener.url)).status).toBe(403)
  await listener.stop()
})

test('an address in use is reported with the setting to change', async () => {
  const { port, stop } = await startListener()
  await expect(startListener({ enabled: false }, `127.0.0.1:${port}`)).rejects.toThrow(
    /127\.0\.0\.1:\d+ \(EADDRINUSE\); change server\.port/,
  )
  await stop()
})

function tlsFiles() {
  const dir = mkdtempSync(join(tmpdir(), 'svc-s3-tls-'))
  const { cert, key } = createSelfSigned(Date.now())
  const settings = { enabled: true, cert_file: join(dir, 'cert.pem'), key_file: join(dir, 'key.pem') }
  writeFileSync(settings.cert_file, cert)
  writeFileSync(settings.key_file, key)
  return { settings, cert, [Symbol.dispose]: () => rmSync(dir, { recursive: true }) }
}

test('serves HTTPS with the configured certificate', async () => {
  using files = tlsFiles()
  const { url, port, stop } = await startListener(files.settings)
  expect(url).toBe(`https://127.0.0.1:${port}`)
  const sent = request({ host: '127.0.0.1', port, path: '/photos/absent', ca: files.cert, agent: false }).end()
  const [response] = await once(sent, 'response')
  expect(response.statusCode).toBe(403)
  response.resume()
  await once(response, 'end')
  await stop()
})

test('I-40: over TLS, too, nothing behind the last request of a connection is one, and the connection ends', async () => {
  using files = tlsFiles()
  const { port, stop, openConnections } = await startListener(files.settings)
  const socket = connectTls({ port, host: '127.0.0.1', ca: files.cert })
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  const get = 'GET / HTTP/1.1\r\nHost: x\r\n'
  socket.write(`${get}\r\n${get}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n${get}\r\n`)
  await once(socket, 'end')
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 403'])
  expect(openConnections.count).toBe(0)
  // Bytes of HTTP, without those of TLS.
  const { receivedBytes, sentBytes } = openConnections.traffic
  expect(sentBytes).toBe(received.length)
  expect(receivedBytes).toBeGreaterThanOrEqual(2 * get.length)
  const silent = connectTls({ port, host: '127.0.0.1', ca: files.cert }).resume()
  await once(silent, 'secureConnect')
  await expect.poll(() => openConnections.count).toBe(1)
  silent.destroy()
  await expect.poll(() => openConnections.count).toBe(0)
  socket.destroy()
  await stop()
})

test('a client that disconnects during a read releases the object', async () => {
  await using server = await startTestServer()
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const body = Buffer.alloc(32 * 1024 * 1024)
  expect(await server.send({ method: 'PUT', url: '/photos/large', body, user: owner })).toMatchObject({ status: 200 })
  const { head } = signedRequest(server.port, { method: 'GET', url: '/photos/large', user: owner })
  const socket = connect(server.port, '127.0.0.1')
  socket.write(head)
  await once(socket, 'data')
  expect(server.storage.openCount()).toBe(1)
  socket.destroy()
  await expect.poll(() => server.storage.openCount(), { timeout: 5_000 }).toBe(0)
})

test('a client that reads nothing is disconnected', async () => {
  await using server = await startTestServer({ settings: { body_idle_timeout: 1000 } })
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  await server.send({ method: 'PUT', url: '/photos/large', body: Buffer.alloc(32 * 1024 * 1024), user: owner })
  const { head } = signedRequest(server.port, { method: 'GET', url: '/photos/large', user: owner })
  const socket = connect(server.port, '127.0.0.1')
  socket.pause().write(head)
  await expect.poll(() => server.storage.openCount(), { timeout: 5_000 }).toBe(1)
  await expect.poll(() => server.storage.openCount(), { timeout: 5_000 }).toBe(0)
  socket.destroy()
})

test('one connection serves several requests, rejected ones included', async () => {
  await using server = await startTestServer()
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const socket = connect(server.port, '127.0.0.1')
  const send = async (method: string, url: string, body = '') => {
    const { head } = signedRequest(server.port, { method, url, user: owner, body })
    socket.write(head + body)
    const [answer] = await once(socket, 'data')
    return String(answer).slice(0, 12)
  }
  expect(await send('PUT', '/photos/a', 'too small')).toBe('HTTP/1.1 400')
  expect(await send('PUT', '/photos/a', 'x'.repeat(200))).toBe('HTTP/1.1 200')
  expect(await send('HEAD', '/photos/b')).toBe('HTTP/1.1 404')
  expect(await send('DELETE', '/photos/a')).toBe('HTTP/1.1 204')
  expect(await send('GET', '/photos/a')).toBe('HTTP/1.1 404')
  socket.destroy()
})

test('a client gets at most its share of the connections, and others are served', async () => {
  await using server = await startTestServer({ server: { max_connections: 8, max_connections_per_client: 5 } })
  const halfOpen = Array.from({ length: 8 }, () => connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' }))
  let ended = 0
  for (const socket of halfOpen)
    socket
      .on('error', () => {})
      .resume()
      .once('close', () => void ended++)
  await expect.poll(() => ended).toBe(3)
  expect(await server.send({ method: 'GET', url: '/', user: owner })).toMatchObject({ status: 200 })
  for (const socket of halfOpen) socket.destroy()
})

test('by default a client gets a quarter of the connections, and the warning names the setting', async () => {
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (message: string, fields: LogFields = {}) => void warnings.push([message, fields]) }
  await using server = await startTestServer({ server: { max_connections: 8, max_connections_per_client: 0 }, log })
  const sockets = Array.from({ length: 5 }, () => connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' }))
  let ended = 0
  for (const socket of sockets)
    socket
      .on('error', () => {})
      .resume()
      .once('close', () => void ended++)
  await expect.poll(() => ended).toBe(3)
  expect(warnings).toEqual([
    [expect.stringContaining('server.max_connections_per_client'), { client: '127.0.0.2', connections: 1, limit: 2 }],
  ])
  for (const socket of sockets) socket.destroy()
})

test('responses forbid content sniffing', async () => {
  await using server = await startTestServer()
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const put = { method: 'PUT', url: '/photos/page', body: `<script>${'x'.repeat(200)}</script>`, user: owner }
  const answers = [
    await server.send({ ...put, headers: { 'content-type': 'text/plain' } }),
    await server.send({ method: 'GET', url: '/photos/page', user: owner }),
    await server.send({ method: 'GET', url: '/photos/absent', user: owner }),
    await server.sendRaw('not HTTP\r\n\r\n'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 400])
  for (const { headers } of answers) expect(headers.get('x-content-type-options')).toBe('nosniff')
})
