/** Reads of members of a pack: what is asked of the providers, and what stays in memory. */
import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { chunkRawBytes } from '../pieces/piece-size.ts'
import { type RangeRequest, type RemoteObject, remoteObject, type ServedCopy, serveCopy } from '../testing/remote-object.ts'
import type { RemoteReadLimits } from './remote-read-limits.ts'

const chunks = 12
const pack = randomBytes(chunks * chunkRawBytes)
const memberBytes = 40_000
const undo: AsyncDisposable[] = []

afterEach(async () => {
  for (const thing of undo.splice(0).reverse()) await thing[Symbol.asyncDispose]()
})

interface Scene extends RemoteObject {
  readonly copies: readonly ServedCopy[]
  /** Reads a member at this byte and expects its bytes. */
  read(start: number, length?: number): Promise<void>
  /** Reads members in order, from one byte to another. */
  readOn(from: number, to: number): Promise<void>
  /** How often each chunk was requested, of all copies. */
  requests(): readonly number[]
}

async function open(limits: Partial<RemoteReadLimits> = {}, ...answers: ((request: RangeRequest) => void)[]): Promise<Scene> {
  const copies = await Promise.all((answers.length > 0 ? answers : [undefined]).map((answer) => serveCopy(pack, answer)))
  undo.push(...copies)
  const object = await remoteObject({ bytes: pack, urls: copies.map(({ url }) => url), limits })
  undo.push(object)
  async function read(start: number, length = memberBytes): Promise<void> {
    await using opened = await object.open()
    const blocks: Uint8Array[] = []
    for await (const block of opened.read({ start, end: start + length - 1 }, { expectsMore: true })) blocks.push(block)
    expect(Buffer.concat(blocks).equals(pack.subarray(start, start + length)), `the member at ${start}`).toBe(true)
  }
  return {
    ...object,
    reader: object.reader,
    copies,
    read,
    async readOn(from, to) {
      for (let at = from; at + memberBytes <= to; at += memberBytes) await read(at)
    },
    requests() {
      const all = copies.flatMap(({ ranges }) => ranges)
      return Array.from({ length: chunks }, (_, at) => all.filter((range) => range.startsWith(`bytes=${at * chunkRawBytes}-`)).length)
    },
  }
}

const countOf = (scene: Scene) => scene.requests().reduce((sum, count) => sum + count, 0)
const chunkOf = ({ bytes }: RangeRequest): number => pack.indexOf(bytes.subarray(0, 64)) / chunkRawBytes
const once = Array.from({ length: chunks }, () => 1)

test('members in order: each chunk is requested once, and before it is read', async () => {
  const scene = await open()
  await scene.read(0)
  await scene.read(memberBytes)
  expect(countOf(scene)).toBe(1)
  await scene.read(2 * memberBytes)
  await expect.poll(() => countOf(scene)).toBe(2)
  let at = 3 * memberBytes
  for (const [entered, requested] of [
    [1, 4],
    [2, 7],
    [3, 12],
  ] as const) {
    const to = entered * chunkRawBytes + memberBytes
    await scene.readOn(at, to)
    at += Math.floor((to - at) / memberBytes) * memberBytes
    await expect.poll(() => countOf(scene)).toBe(requested)
  }
  await scene.readOn(at, pack.length)
  expect(scene.requests()).toEqual(once)
  expect(scene.reader.aheadCounts).toEqual({ used: chunks - 1, unused: 0 })
})

test('a member across two chunks leaves both in memory for its neighbours', async () => {
  const scene = await open()
  await scene.read(chunkRawBytes - 100, 200)
  await scene.read(chunkRawBytes + 500_000, 200)
  await scene.read(100_000, 200)
  expect(scene.requests().slice(0, 3)).toEqual([1, 1, 0])
})

test('a read of a chunk in memory looks nothing up', async () => {
  const scene = await open()
  await scene.read(0)
  const before = scene.lookups()
  await scene.read(500_000)
  await scene.read(300)
  expect([before, scene.lookups()]).toEqual([1, 1])
})

test('random members, and the same member again and again, cause one request each', async () => {
  const scene = await open()
  const order = [0, 7, 3, 11, 5, 1, 9]
  for (const chunk of order) await scene.read(chunk * chunkRawBytes + 300_000)
  for (let again = 0; again < 5; again++) await scene.read(7 * chunkRawBytes + 300_000)
  // Reads of one chunk, each far from the one before.
  for (const at of [500_000, 650_000, 800_000, 950_000]) await scene.read(7 * chunkRawBytes + at, 1000)
  expect(scene.reader.usedBytes).toBe(order.length * chunkRawBytes)
  expect(countOf(scene)).toBe(order.length)
  expect(scene.reader.aheadCounts).toEqual({ used: 0, unused: 0 })
})

test('readers of members in a chunk that is fetched ahead wait for that fetch', async () => {
  const gate = Promise.withResolvers<void>()
  const scene = await open({ hedge: 3_600_000 }, (request) => {
    if (chunkOf(request) === 0) request.respond(request.bytes)
    else void gate.promise.then(() => request.respond(request.bytes))
  })
  await scene.readOn(0, 5 * memberBytes)
  await expect.poll(() => scene.requests()[1]).toBe(1)
  const reads = Array.from({ length: 10 }, (_, at) => scene.read(chunkRawBytes + at * 100_000))
  await expect.poll(() => scene.reader.aheadCounts.used).toBe(1)
  gate.resolve()
  await Promise.all(reads)
  expect(scene.requests()[1]).toBe(1)
})

test('concurrent readers in order share each chunk', async () => {
  const scene = await open()
  await Promise.all(Array.from({ length: 8 }, () => scene.readOn(0, 4 * chunkRawBytes)))
  expect(scene.requests().slice(0, 4)).toEqual([1, 1, 1, 1])
  expect(Math.max(...scene.requests())).toBe(1)
})

test('a fetch ahead ends, and its memory is free, when no read follows', async () => {
  const ended = Promise.withResolvers<void>()
  const scene = await open({ keep: 300, hedge: 3_600_000 }, (request) => {
    if (chunkOf(request) === 0) request.respond(request.bytes)
    else void request.isOver.then(() => ended.resolve())
  })
  await scene.readOn(0, 4 * memberBytes)
  await ended.promise
  await expect.poll(() => scene.reader.usedBytes).toBe(0)
  expect(scene.reader.aheadCounts).toEqual({ used: 0, unused: 1 })
})

test('I-31: a chunk that a provider damages is fetched ahead from the next one, and only right bytes are returned', async () => {
  const damaged = (request: RangeRequest) => {
    const bytes = Buffer.from(request.bytes)
    if (chunkOf(request) > 0) bytes.writeUInt8(bytes.readUInt8(500_000) ^ 1, 500_000)
    request.respond(bytes)
  }
  const scene = await open({}, damaged, (request) => request.respond(request.bytes))
  await scene.readOn(0, 4 * chunkRawBytes)
  expect(scene.copies[0]?.ranges.length).toBeGreaterThan(1)
  expect(scene.copies[1]?.ranges.length).toBeGreaterThan(0)
})

test('a chunk that no provider returns is not requested with every read, fails its own members only, and is read when a provider has it again', async () => {
  let isDown = true
  const scene = await open({}, (request) => {
    if (isDown && chunkOf(request) > 0) request.response.writeHead(503).end()
    else request.respond(request.bytes)
  })
  await scene.readOn(0, 5 * memberBytes)
  await expect.poll(() => scene.reader.aheadCounts.unused).toBe(1)
  for (let at = 5; at < 12; at++) {
    await scene.read(at * memberBytes)
    // No fetch runs.
    await expect.poll(() => scene.reader.usedBytes).toBe(chunkRawBytes)
  }
  await expect(scene.read(chunkRawBytes + 1000)).rejects.toMatchObject({ code: 'content_unavailable' })
  expect(scene.requests().slice(0, 3)).toEqual([1, 2, 0])
  isDown = false
  await scene.readOn(chunkRawBytes + 1000, 3 * chunkRawBytes)
})

test('what is fetched ahead stays within its limit for all packs, and gives way to a read that needs the memory', async () => {
  const scene = await open({ aheadBytesMax: 2 * chunkRawBytes, keptBytesMax: 4 * chunkRawBytes })
  let most = 0
  for (let at = 0; at + memberBytes <= 6 * chunkRawBytes; at += memberBytes) {
    await scene.read(at)
    most = Math.max(most, scene.reader.usedBytes)
  }
  expect(most).toBeLessThanOrEqual(4 * chunkRawBytes)
  expect(scene.requests().slice(0, 6)).toEqual([1, 1, 1, 1, 1, 1])

  const little = await open({ bytesMax: 6 * chunkRawBytes, memoryWait: 1000 })
  await little.readOn(0, 4 * memberBytes)
  await expect.poll(() => countOf(little)).toBe(2)
  for (const chunk of [11, 6, 9, 3, 5, 8]) await little.read(chunk * chunkRawBytes + 300_000)
  expect(little.reader.usedBytes).toBe(6 * chunkRawBytes)
  expect(little.reader.aheadCounts).toEqual({ used: 0, unused: 1 })
})
