/** Memory of reads from providers: one limit for all, shared fetches, and no starvation. */
import { randomBytes } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import type { OpenedObject } from '#plugins/storage'
import { chunkRawBytes } from '../pieces/piece-size.ts'
import { type RangeRequest, type RemoteObject, remoteObject, type ServedCopy, serveCopy } from '../testing/remote-object.ts'
import type { RemoteReadLimits } from './remote-read-limits.ts'

const large = randomBytes(7 * chunkRawBytes + 5000)
const positions = [0, 1, 2, 3, 4, 5, 6, 7]
const undo: AsyncDisposable[] = []

afterEach(async () => {
  for (const thing of undo.splice(0).reverse()) await thing[Symbol.asyncDispose]()
})

async function stored(
  limits: Partial<RemoteReadLimits>,
  answer?: (request: RangeRequest) => void,
): Promise<RemoteObject & { copy: ServedCopy }> {
  const copy = await serveCopy(large, answer)
  undo.push(copy)
  const object = await remoteObject({ bytes: large, urls: [copy.url], limits })
  undo.push(object)
  return { ...object, reader: object.reader, copy }
}

interface Client {
  readonly opened: OpenedObject
  next(): Promise<IteratorResult<Uint8Array>>
  /** All bytes that `next` has not returned. */
  rest(): Promise<Buffer>
  leave(): Promise<void>
}

/** A client that reads from a byte to the end, a block at a time. */
async function connect(object: RemoteObject, start = 0): Promise<Client> {
  const opened = await object.open()
  const blocks = opened.read({ start, end: large.length - 1 })[Symbol.asyncIterator]()
  return {
    opened,
    next: () => blocks.next(),
    async rest() {
      const taken: Uint8Array[] = []
      for (let next = await blocks.next(); !next.done; next = await blocks.next()) taken.push(next.value)
      return Buffer.concat(taken)
    },
    async leave() {
      await opened[Symbol.asyncDispose]()
      await blocks.return?.()
    },
  }
}

/** Answers that wait for `open`. */
function gated() {
  const gate = Promise.withResolvers<void>()
  return { open: () => gate.resolve(), answer: ({ bytes, respond }: RangeRequest) => void gate.promise.then(() => respond(bytes)) }
}

test('readers of the same bytes share one fetch of each chunk', async () => {
  const gate = gated()
  const object = await stored({}, gate.answer)
  const clients = await Promise.all(Array.from({ length: 20 }, () => connect(object)))
  const reads = clients.map((client) => client.rest())
  await expect.poll(() => [object.lookups(), object.copy.ranges.length]).toEqual([20, 1])
  gate.open()
  for (const bytes of await Promise.all(reads)) expect(bytes.equals(large)).toBe(true)
  expect(new Set(object.copy.ranges).size).toBe(positions.length)
  expect(object.copy.ranges.filter((range) => range.startsWith('bytes=0-'))).toHaveLength(1)
  expect(object.reader.usedBytes).toBe(0)
})

test('a reader that is closed does not end a fetch that others share', async () => {
  const gate = gated()
  const object = await stored({}, gate.answer)
  const [closed, open] = [await connect(object), await connect(object)]
  const aborted = closed.next()
  const whole = open.rest()
  await expect.poll(() => [object.lookups(), object.copy.ranges.length]).toEqual([2, 1])
  await closed.opened[Symbol.asyncDispose]()
  await expect(aborted).rejects.toThrow()
  gate.open()
  expect((await whole).equals(large)).toBe(true)
  expect(object.copy.ranges.filter((range) => range.startsWith('bytes=0-'))).toHaveLength(1)
})

test('closing the last reader ends the fetch at the provider', async () => {
  const ended = Promise.withResolvers<void>()
  const object = await stored({}, ({ isOver }) => void isOver.then(() => ended.resolve()))
  const client = await connect(object)
  const aborted = client.next()
  await expect.poll(() => object.copy.ranges.length).toBe(1)
  await client.opened[Symbol.asyncDispose]()
  await expect(aborted).rejects.toThrow()
  await ended.promise
  await expect.poll(() => object.reader.usedBytes).toBe(0)
})

test('a client that does not read causes no further requests to the provider', async () => {
  const object = await stored({ aheadMax: 2 })
  const client = await connect(object)
  await client.next()
  await expect.poll(() => object.reader.usedBytes).toBe(3 * chunkRawBytes)
  expect(object.copy.ranges.length).toBeLessThanOrEqual(3)
  expect((await client.rest()).length).toBe(large.length - 64 * 1024)
})

test('idle clients do not block memory for a reading one, and later continue with the right bytes', async () => {
  let most = 0
  const object = await stored({ bytesMax: 3 * chunkRawBytes, hold: 0 }, ({ bytes, respond }) => {
    most = Math.max(most, object.reader.usedBytes)
    respond(bytes)
  })
  const idle = await Promise.all(positions.map((position) => connect(object, position * chunkRawBytes)))
  // One after the other, so that each has had a chunk and waits for its client.
  const begun: Uint8Array[] = []
  for (const client of idle) begun.push((await client.next()).value)
  const reading = await connect(object)
  expect((await reading.rest()).equals(large)).toBe(true)
  for (const [position, client] of idle.entries()) {
    const bytes = Buffer.concat([begun[position] as Uint8Array, await client.rest()])
    expect(bytes.equals(large.subarray(position * chunkRawBytes))).toBe(true)
  }
  expect(most).toBeLessThanOrEqual(3 * chunkRawBytes)
  expect(object.reader.usedBytes).toBe(0)
})

test('many concurrent readers in little memory all get the right bytes', async () => {
  const object = await stored({ bytesMax: 2 * chunkRawBytes, hold: 0 })
  const clients = await Promise.all(Array.from({ length: 24 }, (_, at) => connect(object, (at % 8) * chunkRawBytes + at)))
  const all = await Promise.all(clients.map((client) => client.rest()))
  for (const [at, bytes] of all.entries()) expect(bytes.equals(large.subarray((at % 8) * chunkRawBytes + at))).toBe(true)
  expect(object.reader.usedBytes).toBe(0)
})

test('while fetches use all memory, a further read is refused with 503', async () => {
  const object = await stored({ bytesMax: chunkRawBytes, memoryWait: 1 }, () => undefined)
  const [first, second] = [await connect(object), await connect(object, chunkRawBytes)]
  const waiting = first.next()
  await expect.poll(() => object.copy.ranges.length).toBe(1)
  await expect(second.next()).rejects.toMatchObject({ code: 'remote_reads_busy', status: 503 })
  await first.opened[Symbol.asyncDispose]()
  await expect(waiting).rejects.toThrow()
})

test('a client that disconnects frees the chunks that it holds', async () => {
  const object = await stored({})
  const client = await connect(object)
  await client.next()
  await client.leave()
  await expect.poll(() => object.reader.usedBytes).toBe(0)
})

test('a chunk whose copies cannot be looked up leaves no memory in use', async () => {
  const object = await stored({})
  using all = vi.spyOn(object.rows.database.read, 'all').mockImplementation(() => {
    throw new Error('the database cannot be read')
  })
  const client = await connect(object)
  await expect(client.next()).rejects.toThrow('the database cannot be read')
  expect(all).toHaveBeenCalled()
  expect(object.reader.usedBytes).toBe(0)
})
