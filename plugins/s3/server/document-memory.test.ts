import { hash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { signedRequest } from '../testing/signed-request.ts'
import { admin, owner, startTestServer } from '../testing/test-server.ts'
import { DocumentMemory } from './document-memory.ts'

/** Each key is too long for S3. The answer repeats it with six characters for each of its own, more than the buffers of a connection. */
const large = deletion(Array.from({ length: 1000 }, (_, number) => String(number).padEnd(2000, '"')))
const small = deletion(['key'])

function deletion(keys: readonly string[]) {
  const body = `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`
  return { method: 'POST', url: '/photos?delete', headers: { 'content-md5': hash('md5', body, 'base64') }, body, user: owner }
}

/** A server with memory for one document at a time. */
async function startNarrow(settings: { readonly body_idle_timeout?: number } = {}) {
  const documentMemory = new DocumentMemory(1)
  const server = await startTestServer({ documentMemory, settings })
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  return { ...server, usedBytes: () => documentMemory.stats().usedBytes }
}

/** Resolves when the answer has begun; nothing of it is read yet. */
async function sendLarge(port: number, user = owner) {
  const socket = connect(port, '127.0.0.1')
  const { head, body } = signedRequest(port, { ...large, user })
  socket.write(head)
  socket.write(body)
  await once(socket, 'readable')
  return socket
}

test('a document is refused before it is read while the answer to another one is not read', async () => {
  await using server = await startNarrow()
  const socket = await sendLarge(server.port)
  expect(server.usedBytes()).toBe(8 * large.body.length)
  const refused = await server.send(small)
  expect(refused).toMatchObject({ status: 503, code: 'SlowDown' })
  expect(refused.headers.get('retry-after')).toBe('1')
  // Requests without a document do not need this memory.
  expect(await server.send({ method: 'GET', url: '/photos', user: owner })).toMatchObject({ status: 200 })

  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  await expect.poll(() => received.endsWith('</DeleteResult>'), { timeout: 10_000 }).toBe(true)
  expect(received.split('<Code>KeyTooLongError</Code>')).toHaveLength(1001)
  expect(Number(/content-length: (\d+)/i.exec(received)?.[1])).toBe(received.length - received.indexOf('\r\n\r\n') - 4)
  socket.destroy()
  await expect.poll(server.usedBytes).toBe(0)
  expect(await server.send(small)).toMatchObject({ status: 200 })
  await expect.poll(server.usedBytes).toBe(0)
})

test('a closed connection gives back the memory of its document', async () => {
  await using server = await startNarrow()
  const socket = await sendLarge(server.port)
  socket.destroy()
  await expect.poll(server.usedBytes).toBe(0)
  expect(await server.send(small)).toMatchObject({ status: 200 })
})

test('a client that reads nothing of a large answer is disconnected after the idle timeout', async () => {
  await using server = await startNarrow({ body_idle_timeout: 1000 })
  const socket = await sendLarge(server.port)
  socket.on('error', () => {})
  await expect.poll(server.usedBytes, { timeout: 10_000 }).toBe(0)
  socket.destroy()
})

test('large listings take memory until they are written', async () => {
  await using server = await startNarrow()
  const body = Buffer.alloc(200)
  const keys = Array.from({ length: 70 }, (_, number) => `${String(number).padStart(3, '0')}${'%22'.repeat(900)}`)
  for (const key of keys)
    expect(await server.send({ method: 'PUT', url: `/photos/${key}`, body, user: owner })).toMatchObject({ status: 200 })
  const list = { method: 'GET', url: '/photos', user: owner }
  expect(await server.send(list)).toMatchObject({ status: 200 })
  const socket = await sendLarge(server.port)
  expect(await server.send(list)).toMatchObject({ status: 503, code: 'SlowDown' })
  socket.destroy()
})

test('I-41: the memory of a document is taken as its bytes arrive', async () => {
  await using server = await startNarrow()
  const { head } = signedRequest(server.port, {
    ...small,
    body: '',
    unsignedHeaders: { expect: '100-continue', 'content-length': '2000000' },
  })
  const sockets = Array.from({ length: 3 }, () => connect(server.port, '127.0.0.1').on('error', () => {}))
  for (const socket of sockets) {
    socket.write(head)
    // 100 Continue: the body is being read.
    await once(socket, 'data')
  }
  // They have announced 6 MB and sent nothing.
  expect(await server.send(small)).toMatchObject({ status: 200 })
  for (const socket of sockets) socket.destroy()
})

test('I-41: one user has at most its share of the memory, and others find the rest', async () => {
  const budgetBytes = 80_000_000
  const documentMemory = new DocumentMemory(budgetBytes)
  await using server = await startTestServer({ documentMemory })
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const first = await sendLarge(server.port)
  expect(documentMemory.stats().usedBytes).toBe(8 * large.body.length)
  expect(await server.send(large)).toMatchObject({ status: 503, code: 'SlowDown' })
  expect(await server.send(small)).toMatchObject({ status: 200 })
  const other = await sendLarge(server.port, admin)
  expect(documentMemory.stats().usedBytes).toBe(2 * 8 * large.body.length)
  for (const socket of [first, other]) socket.destroy()
  await expect.poll(() => documentMemory.stats().usedBytes).toBe(0)
})

test('a document has a deadline, however its bytes arrive', async () => {
  await using server = await startTestServer({ limits: { documentMs: 100 } })
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const { head } = signedRequest(server.port, { ...large, payload: 'UNSIGNED-PAYLOAD' })
  const socket = connect(server.port, '127.0.0.1').on('error', () => {})
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  socket.write(head)
  const timer = setInterval(() => socket.write(' '), 10)
  await once(socket, 'end')
  clearInterval(timer)
  expect(received).toContain('<Code>RequestTimeout</Code>')
})
