import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { silentLog } from '#kernel'
import { createFakeClock } from '#kernel/testing'
import { openProviderClient, type ProviderClient } from '../chain/provider-client.ts'
import type { ObjectVersion } from '../contract.ts'
import { readAll } from '../testing/object-storage.ts'
import { openStorageRows } from '../testing/storage-rows.ts'
import { createRemoteReader } from './read-remote.ts'

const small = randomBytes(3000)
/** Above the size that is proved before it is handed on. */
const large = randomBytes(9 * 1024 * 1024)
const undo: (() => unknown)[] = []

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

interface Served {
  readonly url: string
  /** Ranges that were asked for; the empty text for the whole. */
  readonly asked: string[]
}

/** A provider that serves these bytes by range, unless `listener` takes the request. */
async function serve(bytes: Buffer, listener?: RequestListener): Promise<Served> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { range } = request.headers
    asked.push(range ?? '')
    if (listener) return listener(request, response)
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
    if (start === undefined) return response.end(bytes)
    response
      .writeHead(206, { 'content-range': `bytes ${start}-${end}/${bytes.length}` })
      .end(bytes.subarray(Number(start), Number(end) + 1))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(closed))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const damaged = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(10) ^ 1, 10)
  return copy
}

const breaksOff =
  (bytes: Buffer, after: number): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-length': bytes.length })
    response.write(bytes.subarray(0, after), () => setImmediate(() => response.destroy()))
  }

const failing: RequestListener = (_request, response) => void response.writeHead(503).end()

interface Situation {
  readonly bytes: Buffer
  readonly urls: readonly string[]
  readonly hasDigest?: boolean
}

/** Opens an object whose copies are at these service URLs. */
async function remoteObject({ bytes, urls, hasDigest = true }: Situation) {
  const rows = await openStorageRows()
  undo.push(() => rows[Symbol.asyncDispose]())
  const content = await rows.addContent({ bytes })
  for (const serviceUrl of urls) await rows.addCopy(content, await rows.addDataSet({ serviceUrl }), 'committed')
  if (!hasDigest) await rows.database.write((tx) => tx.run('update contents set sha256 = null'))
  const clients = new Map<string, ProviderClient>()
  const client = (url: string) => {
    const known = clients.get(url) ?? openProviderClient(url, { allowPrivateNetworks: true })
    clients.set(url, known)
    return known
  }
  undo.push(() => clients.forEach((open) => void open.close()))
  const readRemote = createRemoteReader({ database: rows.database, providers: { client }, clock: createFakeClock(), log: silentLog })
  const version = { key: 'cat.jpg', versionId: 'v1', size: bytes.length } as ObjectVersion
  return async (range?: { readonly start: number; readonly end: number }) => readAll(await readRemote(version, content.contentId), range)
}

const part = { start: 5, end: 1004 }

test.each([
  ['bytes are damaged', async () => (await serve(damaged(small))).url],
  ['answer is an error', async () => (await serve(small, failing)).url],
  ['answer is too short', async () => (await serve(small.subarray(0, 2000))).url],
  ['answer is too long', async () => (await serve(Buffer.concat([damaged(small), small]))).url],
  ['answer breaks off', async () => (await serve(small, breaksOff(small, 1000))).url],
  ['port is closed', async () => 'http://127.0.0.1:1'],
])('a small object comes right from the next copy when the first one is bad: its %s', async (_name, badUrl) => {
  const good = await serve(small)
  const read = await remoteObject({ bytes: small, urls: [await badUrl(), good.url] })
  expect(Buffer.from(await read()).equals(small)).toBe(true)
  expect(Buffer.from(await read(part)).equals(small.subarray(5, 1005))).toBe(true)
})

test('a part of a small object is taken from the proved whole', async () => {
  const bad = await serve(damaged(small))
  const good = await serve(small)
  const read = await remoteObject({ bytes: small, urls: [bad.url, good.url] })
  expect(Buffer.from(await read(part)).equals(small.subarray(5, 1005))).toBe(true)
  expect([bad.asked, good.asked]).toEqual([[''], ['']])
})

test('a copy that failed a read is asked last from then on', async () => {
  const bad = await serve(damaged(small))
  const good = await serve(small)
  const read = await remoteObject({ bytes: small, urls: [bad.url, good.url] })
  for (let i = 0; i < 3; i++) await read()
  expect([bad.asked.length, good.asked.length]).toEqual([1, 3])
})

test('a large object whose copy breaks off goes on from the next copy at the same byte', async () => {
  const broken = await serve(large, breaksOff(large, 5_000_000))
  const good = await serve(large)
  const read = await remoteObject({ bytes: large, urls: [broken.url, good.url] })
  expect(Buffer.from(await read()).equals(large)).toBe(true)
  expect(good.asked).toEqual([expect.stringMatching(/^bytes=[1-9]\d*-9437183$/)])
})

test('a part of a large object is asked for as a part, and cut out where the provider sends everything', async () => {
  const wasteful = await serve(large, (_request, response) => void response.end(large))
  const readWasteful = await remoteObject({ bytes: large, urls: [wasteful.url] })
  expect(Buffer.from(await readWasteful(part)).equals(large.subarray(5, 1005))).toBe(true)
  const exact = await serve(large)
  const readExact = await remoteObject({ bytes: large, urls: ['http://127.0.0.1:1', exact.url] })
  expect(Buffer.from(await readExact(part)).equals(large.subarray(5, 1005))).toBe(true)
  expect(exact.asked).toEqual(['bytes=5-1004'])
})

test('a large object with damaged bytes never ends as a complete answer, and the next read is right', async () => {
  const bad = await serve(damaged(large))
  const good = await serve(large)
  const read = await remoteObject({ bytes: large, urls: [bad.url, good.url] })
  await expect(read()).rejects.toMatchObject({ code: 'content_unavailable' })
  expect(Buffer.from(await read()).equals(large)).toBe(true)
})

test('without a recorded digest the piece CID proves the bytes', async () => {
  const bad = await serve(damaged(small))
  const good = await serve(small)
  const read = await remoteObject({ bytes: small, urls: [bad.url, good.url], hasDigest: false })
  expect(Buffer.from(await read()).equals(small)).toBe(true)
})

test('an object that no copy gives is unavailable for now', async () => {
  const read = await remoteObject({ bytes: small, urls: [(await serve(damaged(small))).url, 'http://127.0.0.1:1'] })
  await expect(read()).rejects.toMatchObject({ code: 'content_unavailable', retryAfterSeconds: 10 })
})
