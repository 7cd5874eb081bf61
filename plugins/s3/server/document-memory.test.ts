import { hash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { signedRequest } from '../testing/signed-request.ts'
import { owner, startTestServer } from '../testing/test-server.ts'
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
async function sendLarge(port: number) {
  const socket = connect(port, '127.0.0.1')
  const { head, body } = signedRequest(port, large)
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
