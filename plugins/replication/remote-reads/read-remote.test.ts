import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import { readAll } from '../../storage/testing/object-storage.ts'
import { chunkRawBytes } from '../pieces/piece-size.ts'
import { type RangeRequest, type RemoteObjectOptions, remoteObject, type ServedCopy, serveCopy } from '../testing/remote-object.ts'

const small = randomBytes(3000)
/** Three whole chunks and a short one. */
const large = randomBytes(3 * chunkRawBytes + 5000)
const undo: AsyncDisposable[] = []

afterEach(async () => {
  for (const thing of undo.splice(0).reverse()) await thing[Symbol.asyncDispose]()
})

async function serve(...what: Parameters<typeof serveCopy>): Promise<ServedCopy> {
  const copy = await serveCopy(...what)
  undo.push(copy)
  return copy
}

/** Reads the object, or a part of it, and leaves no memory in use. */
async function reading(options: RemoteObjectOptions) {
  const object = await remoteObject(options)
  undo.push(object)
  const read = async (range?: { readonly start: number; readonly end: number }): Promise<Buffer> => {
    try {
      return Buffer.from(await readAll(await object.open(), range))
    } finally {
      await expect.poll(() => object.reader.usedBytes).toBe(0)
    }
  }
  return Object.assign(read, object)
}

const damage = (bytes: Buffer, at = 10): Buffer => {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

const breakOff = ({ response, bytes }: RangeRequest, after: number): void => {
  response.writeHead(200, { 'content-length': bytes.length })
  response.write(bytes.subarray(0, after), () => setImmediate(() => response.destroy()))
}

const fail = ({ response }: RangeRequest): void => void response.writeHead(503).end()
const rangeOf = (first: number, last = first): string =>
  `bytes=${first * chunkRawBytes}-${Math.min(large.length, (last + 1) * chunkRawBytes) - 1}`
const part = { start: 5, end: 1004 }
const keptRoots = (read: Awaited<ReturnType<typeof reading>>) => allRows(read.rows.database.read, 'select * from piece_chunk_roots')

test.each([
  ['bytes are damaged', async () => (await serve(damage(small))).url],
  ['answer is an error', async () => (await serve(small, fail)).url],
  ['answer is too short', async () => (await serve(small.subarray(0, 2000))).url],
  ['answer is too long', async () => (await serve(Buffer.concat([damage(small), small]))).url],
  ['answer breaks off', async () => (await serve(small, (request) => breakOff(request, 1000))).url],
  ['port is closed', async () => 'http://127.0.0.1:1'],
])('a small object is read from the next copy when the first one is bad: its %s', async (_name, badUrl) => {
  const good = await serve(small)
  const read = await reading({ bytes: small, urls: [await badUrl(), good.url] })
  expect((await read()).equals(small)).toBe(true)
  expect((await read(part)).equals(small.subarray(5, 1005))).toBe(true)
})

test('blocks that are lent share one memory; other readers keep theirs', async () => {
  const copy = await serve(large)
  const object = await reading({ bytes: large, urls: [copy.url] })
  for (const lends of [true, false]) {
    await using opened = await object.open()
    const memories = new Set<ArrayBufferLike>()
    const copies: Uint8Array[] = []
    for await (const block of opened.read({ start: 7, end: large.length - 1 }, { lends })) {
      memories.add(block.buffer)
      copies.push(lends ? Buffer.from(block) : block)
    }
    expect(Buffer.concat(copies).equals(large.subarray(7))).toBe(true)
    expect(memories.size === 1).toBe(lends)
  }
})

test('a part of a small object is cut from the proved whole, which is fetched in one request', async () => {
  const bad = await serve(damage(small))
  const good = await serve(small)
  const read = await reading({ bytes: small, urls: [bad.url, good.url] })
  expect((await read(part)).equals(small.subarray(5, 1005))).toBe(true)
  expect([bad.ranges, good.ranges]).toEqual([[''], ['']])
})

test('a copy that failed a read is tried last from then on', async () => {
  const bad = await serve(damage(small))
  const good = await serve(small)
  const read = await reading({ bytes: small, urls: [bad.url, good.url] })
  for (let i = 0; i < 3; i++) await read()
  expect([bad.ranges.length, good.ranges.length]).toEqual([1, 3])
})

test('I-31 a part of a large object from a damaged copy is right: the touched chunks are proved, and only they are fetched', async () => {
  const bad = await serve(damage(large, 2 * chunkRawBytes - 3))
  const good = await serve(large)
  const read = await reading({ bytes: large, urls: [bad.url, good.url] })
  const across = { start: 2 * chunkRawBytes - 10, end: 2 * chunkRawBytes + 9 }
  expect((await read(across)).equals(large.subarray(across.start, across.end + 1))).toBe(true)
  expect(bad.ranges).toEqual([rangeOf(1)])
  expect(good.ranges).toEqual([rangeOf(1), rangeOf(2)])
})

test('I-31 a read of a large object continues from the next copy at the first wrong chunk', async () => {
  const bad = await serve(damage(large, large.length - 1))
  const good = await serve(large)
  const read = await reading({ bytes: large, urls: [bad.url, good.url], limits: { aheadMax: 0 } })
  expect((await read()).equals(large)).toBe(true)
  expect(bad.ranges).toEqual([0, 1, 2, 3].map((position) => rangeOf(position)))
  expect(good.ranges).toEqual([rangeOf(3)])
})

test('I-31 no byte of a chunk is sent when no copy has it right', async () => {
  const bad = await serve(damage(large, chunkRawBytes + 500_000))
  const read = await reading({ bytes: large, urls: [bad.url] })
  await using opened = await read.open()
  let given = 0
  const all = async () => {
    for await (const block of opened.read()) {
      expect(large.subarray(given, given + block.length).equals(block)).toBe(true)
      given += block.length
    }
  }
  await expect(all()).rejects.toMatchObject({ code: 'content_unavailable', retryAfterSeconds: 10 })
  expect(given).toBe(chunkRawBytes)
})

test('a read of a large object continues from the next copy when one breaks off', async () => {
  const broken = await serve(large, (request) => breakOff(request, 500_000))
  const good = await serve(large)
  const read = await reading({ bytes: large, urls: [broken.url, good.url] })
  expect((await read()).equals(large)).toBe(true)
})

test('a part is cut out when the provider ignores the range and sends everything', async () => {
  const wasteful = await serve(large, ({ response }) => void response.end(large))
  const read = await reading({ bytes: large, urls: [wasteful.url] })
  const late = { start: 3 * chunkRawBytes - 7, end: large.length - 1 }
  expect((await read(late)).equals(large.subarray(late.start))).toBe(true)
})

test('the chunks of a large object are fetched over one connection', async () => {
  const good = await serve(large)
  const read = await reading({ bytes: large, urls: [good.url], limits: { aheadMax: 0 } })
  expect((await read()).equals(large)).toBe(true)
  expect([good.ranges.length, good.connections()]).toEqual([4, 1])
})

test('a connection that the provider closed while it was idle makes no copy suspect', async () => {
  let answers = 0
  const closing = await serve(large, (request) => (answers++ === 1 ? void request.response.destroy() : request.respond(request.bytes)))
  const read = await reading({ bytes: large, urls: [closing.url], limits: { aheadMax: 0 } })
  expect((await read()).equals(large)).toBe(true)
})

test.each([
  ['are missing', 'delete from piece_chunk_roots', []],
  ['are those of other bytes', 'update piece_chunk_roots set chunk_roots = ?', [new Uint8Array(4 * 32)]],
])('when the chunk roots %s, one proved read of the whole piece restores them before anything is sent', async (_name, sql, values) => {
  const bad = await serve(damage(large, 100))
  const good = await serve(large)
  const read = await reading({ bytes: large, urls: [bad.url, good.url] })
  const kept = await keptRoots(read)
  await read.rows.database.write((tx) => runSql(tx, sql, ...values))
  expect((await read(part)).equals(large.subarray(5, 1005))).toBe(true)
  expect((await read(part)).equals(large.subarray(5, 1005))).toBe(true)
  expect([bad.ranges, good.ranges]).toEqual([[''], ['', rangeOf(0), rangeOf(0)]])
  expect(await keptRoots(read)).toEqual(kept)
})

test('copies that match the piece CID but not the SHA-256 of the content give no chunk roots', async () => {
  const copy = await serve(large)
  const read = await reading({ bytes: large, urls: [copy.url] })
  await read.rows.database.write(async (tx) => {
    await runSql(tx, 'delete from piece_chunk_roots')
    await runSql(tx, 'update contents set sha256 = ?', '0'.repeat(64))
  })
  await expect(read(part)).rejects.toMatchObject({ code: 'content_unavailable' })
  expect(await keptRoots(read)).toEqual([])
})

test('a read that waits too long for chunk roots is refused with 503, and a later one finds them', async () => {
  const gate = Promise.withResolvers<void>()
  const slow = await serve(large, (request) => void gate.promise.then(() => request.respond(request.bytes)))
  const read = await reading({ bytes: large, urls: [slow.url], limits: { rebuildWait: 1 } })
  await read.rows.database.write((tx) => runSql(tx, 'delete from piece_chunk_roots'))
  await expect(read(part)).rejects.toMatchObject({ code: 'remote_reads_busy' })
  gate.resolve()
  await expect.poll(() => keptRoots(read)).toHaveLength(1)
  expect((await read(part)).equals(large.subarray(5, 1005))).toBe(true)
})

test('the chunk roots are deleted with the piece', async () => {
  const read = await reading({ bytes: large, urls: [] })
  expect(await keptRoots(read)).toHaveLength(1)
  await read.rows.database.write((tx) => runSql(tx, 'delete from pieces'))
  expect(await keptRoots(read)).toEqual([])
})

test.each([
  ['never answers', () => undefined],
  ['sends the first bytes and then nothing', ({ response, bytes }: RangeRequest) => void response.write(bytes.subarray(0, 100))],
])('the first bytes are not delayed by a copy that %s', async (_name, answer) => {
  const order: string[] = []
  const slow = await serve(large, (request) => {
    order.push('slow')
    answer(request)
  })
  const good = await serve(large, ({ bytes, respond }) => {
    order.push('good')
    respond(bytes)
  })
  // The read would hang without the parallel try: the slow copy has an hour of grace.
  const read = await reading({ bytes: large, urls: [slow.url, good.url], limits: { hedge: 1, grace: 3_600_000 } })
  expect((await read(part)).equals(large.subarray(5, 1005))).toBe(true)
  expect((await read(part)).equals(large.subarray(5, 1005))).toBe(true)
  // The slow copy is suspect now: the second read tries the other one first.
  expect(order[2]).toBe('good')
})

test('a copy that sends below the minimum rate is given up', async () => {
  let at = 0
  const drip = await serve(large, ({ response, bytes, isOver }) => {
    response.writeHead(206, { 'content-range': `bytes 0-${bytes.length - 1}/${large.length}`, 'content-length': bytes.length })
    const timer = setInterval(() => response.write(bytes.subarray(at, ++at)), 1)
    void isOver.then(() => clearInterval(timer))
  })
  const read = await reading({ bytes: large, urls: [drip.url], limits: { grace: 50, bytesPerSecond: 1024 * 1024 } })
  await expect(read(part)).rejects.toMatchObject({ code: 'content_unavailable' })
  expect(drip.ranges).toHaveLength(1)
})

test('without a recorded digest the piece CID proves the bytes', async () => {
  const bad = await serve(damage(small))
  const good = await serve(small)
  const read = await reading({ bytes: small, urls: [bad.url, good.url], hasDigest: false })
  expect((await read()).equals(small)).toBe(true)
})

test('an object without a readable copy is unavailable, with Retry-After', async () => {
  const read = await reading({ bytes: small, urls: [(await serve(damage(small))).url, 'http://127.0.0.1:1'] })
  await expect(read()).rejects.toMatchObject({ code: 'content_unavailable', retryAfterSeconds: 10 })
})

test.each([1, 60, 126])('an object of %i bytes is read without the zeros that pad its piece, also by its piece CID alone', async (size) => {
  const bytes = small.subarray(0, size)
  const copy = await serve(Buffer.concat([bytes, Buffer.alloc(127 - size)]))
  const bad = await serve(damage(Buffer.concat([bytes, Buffer.alloc(127 - size)]), 0))
  for (const hasDigest of [true, false]) {
    const read = await reading({ bytes, urls: [bad.url, copy.url], hasDigest })
    expect((await read()).equals(bytes)).toBe(true)
    expect((await read({ start: 0, end: 0 })).equals(bytes.subarray(0, 1))).toBe(true)
  }
})
