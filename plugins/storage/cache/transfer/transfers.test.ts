import { hash, randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { silentLog } from '#kernel/testing'
import { startChecksum } from '../../checksums/checksums.ts'
import { chunksOf, type ObjectStorage, openObjectStorage } from '../../testing/object-storage.ts'
import { BodyMemory, blockBytes } from './body-memory.ts'
import { DigestPool } from './digest-pool.ts'
import { startDigestWorker } from './digest-thread.ts'

const mib = 1024 * 1024
/** Lent bytes of a sender that uses one buffer for all its chunks. */
async function* oneBuffer(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array, void, void> {
  const buffer = new Uint8Array(chunkBytes)
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes)
    buffer.set(chunk)
    yield buffer.subarray(0, chunk.length)
    buffer.fill(0xee)
  }
}

/** Copies each block while it is valid. */
async function readLent(storage: ObjectStorage, key: string, range?: { readonly start: number; readonly end: number }): Promise<Buffer> {
  await using opened = await storage.objects.open('photos', key)
  const blocks: Buffer[] = []
  for await (const block of opened.read(range, { lends: true })) {
    const copy = Buffer.from(block)
    // Other blocks are read and hashed at the same time: none of them may change this one.
    await nextTurn()
    if (!copy.equals(block)) throw new Error('a lent block changed before the next one was requested')
    blocks.push(copy)
  }
  return Buffer.concat(blocks)
}

async function openWith(memory: BodyMemory, more: Parameters<typeof openObjectStorage>[0] = {}) {
  return await openObjectStorage({ maxBytes: 512 * mib, memory, ...more })
}

describe.each([
  ['in shared memory with threads', true],
  ['plain', false],
])('transfers %s', (_name, usesThreads) => {
  test('bodies and ranges of any length arrive unchanged, in blocks that are used again', async () => {
    const memory = new BodyMemory(8 * blockBytes)
    await using storage = await openWith(memory, { usesThreads })
    const around = (length: number) => fc.integer({ min: Math.max(1, length - 2), max: length + 2 })
    const sizes = fc.oneof(fc.integer({ min: 1, max: 3 * mib }), ...[64 * 1024, 256 * 1024, blockBytes, 2 * blockBytes].map(around))
    const property = fc.asyncProperty(
      sizes,
      fc.integer({ min: 1, max: 300_000 }),
      fc.nat(),
      fc.nat(),
      async (size, chunkBytes, one, other) => {
        const bytes = randomBytes(size)
        const { etag } = await storage.put('k', bytes, {
          body: size > 64 * 1024 ? oneBuffer(bytes, chunkBytes) : chunksOf(bytes, chunkBytes),
        })
        expect(etag).toBe(hash('md5', bytes))
        const [start, end] = [one % size, other % size].sort((a, b) => a - b) as [number, number]
        const [whole, part, kept] = await Promise.all([
          readLent(storage, 'k'),
          readLent(storage, 'k', { start, end }),
          storage.objects.open('photos', 'k').then(async (opened) => Buffer.concat(await Array.fromAsync(opened.read()))),
        ])
        expect([whole.equals(bytes), part.equals(bytes.subarray(start, end + 1)), kept.equals(bytes)]).toEqual([true, true, true])
        expect(memory.stats().usedBytes).toBe(0)
      },
    )
    await fc.assert(property, { numRuns: 30 })
  })

  test.each(['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const)(
    'the %s of a body is computed with its other digests',
    async (algorithm) => {
      await using storage = await openWith(new BodyMemory(), { usesThreads })
      for (const size of [1, 64 * 1024 + 1, 2 * mib + 3]) {
        const bytes = randomBytes(size)
        const checksum = await startChecksum(algorithm)
        checksum.update(bytes)
        const expected = { size, md5: hash('md5', bytes), sha256: hash('sha256', bytes), checksum: checksum.digest().toString('hex') }
        const seen: unknown[] = []
        await storage.put('k', bytes, { checksum: algorithm, verify: (digests) => void seen.push(digests) as undefined })
        expect(seen).toEqual([expect.objectContaining(expected)])
      }
    },
  )
})

test('the memory of 64 concurrent bodies and reads stays within the budget', async () => {
  const budget = 8 * blockBytes
  const memory = new BodyMemory(budget)
  await using storage = await openWith(memory)
  let most = 0
  async function* watched(bytes: Uint8Array) {
    for await (const chunk of oneBuffer(bytes, 64 * 1024)) {
      most = Math.max(most, memory.stats().usedBytes)
      yield chunk
    }
  }
  const bodies = Array.from({ length: 64 }, (_, at) => randomBytes(blockBytes + at * 1000))
  await Promise.all(bodies.map((bytes, at) => storage.put(`k${at}`, bytes, { body: watched(bytes) })))
  const read = await Promise.all(bodies.map((_, at) => readLent(storage, `k${at}`)))
  expect(read.every((bytes, at) => bytes.equals(bodies[at] as Buffer))).toBe(true)
  expect([most > 4 * blockBytes, most <= budget]).toEqual([true, true])
  expect(memory.stats()).toEqual({ budgetBytes: budget, usedBytes: 0, waiting: 0 })
})

test('a body that fails halfway, and a read that is not finished, give their blocks back', async () => {
  const memory = new BodyMemory(8 * blockBytes)
  await using storage = await openWith(memory)
  const bytes = randomBytes(3 * mib)
  async function* broken() {
    yield* oneBuffer(bytes.subarray(0, 2 * mib + 5), 64 * 1024)
    throw new Error('the client disconnected')
  }
  await expect(storage.put('k', bytes, { body: broken() })).rejects.toThrow('the client disconnected')
  expect(memory.stats().usedBytes).toBe(0)
  await storage.put('k', bytes)
  await using opened = await storage.objects.open('photos', 'k')
  for await (const _ of opened.read(undefined, { lends: true })) {
    expect(memory.stats().usedBytes).toBeGreaterThan(0)
    break
  }
  expect(memory.stats().usedBytes).toBe(0)
  await using closed = await storage.objects.open('photos', 'k')
  const blocks = closed.read(undefined, { lends: true })[Symbol.asyncIterator]()
  await blocks.next()
  await closed[Symbol.asyncDispose]()
  expect(memory.stats().usedBytes).toBe(0)
  await expect(blocks.next()).rejects.toThrow('closed during the read')
})

test('when a hashing thread ends, its upload fails with a reason and leaves nothing, and the next one succeeds', async () => {
  const memory = new BodyMemory(8 * blockBytes)
  const crashing = () => new Worker("require('node:worker_threads').parentPort.on('message', () => process.exit(1))", { eval: true })
  const starts = [startDigestWorker, crashing]
  const startWorker = (shared: SharedArrayBuffer) => (starts.pop() ?? startDigestWorker)(shared)
  await using digests = new DigestPool({ log: silentLog, memory, threads: 1, startWorker })
  await using storage = await openWith(memory, { digests })
  const bytes = randomBytes(2 * mib)
  await expect(storage.put('k', bytes)).rejects.toMatchObject({ code: 'content_unavailable', message: /hashing thread ended; retry/ })
  expect([memory.stats().usedBytes, storage.cache.stats().reservedBytes, storage.cache.stats().usedBytes]).toEqual([0, 0, 0])
  await storage.put('k', bytes)
  expect((await readLent(storage, 'k')).equals(bytes)).toBe(true)
})
