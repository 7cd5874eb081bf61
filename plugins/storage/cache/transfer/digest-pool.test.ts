import { hash, randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { silentLog } from '#kernel/testing'
import { storageErrors } from '../../errors.ts'
import { DamagedBlob, verifyWhole } from '../verification/whole-read.ts'
import { BodyMemory } from './body-memory.ts'
import { DigestPool } from './digest-pool.ts'
import { startDigestWorker, threadHeapBytesMax } from './digest-thread.ts'

async function* blocksOf(bytes: Uint8Array, blockBytes = 1000): AsyncGenerator<Uint8Array, void, void> {
  for (let from = 0; from < bytes.length; from += blockBytes) yield bytes.subarray(from, from + blockBytes)
}

async function read(digests: DigestPool, bytes: Uint8Array, { blockBytes = 1000, sha256 = hash('sha256', bytes) } = {}): Promise<number> {
  const whole = { length: bytes.length, sha256 }
  let length = 0
  for await (const block of verifyWhole(blocksOf(bytes, blockBytes), whole, () => digests.beginOne('sha256'))) length += block.length
  return length
}

test('I-30: each of 50 concurrent streams gets the SHA-256 of its own blocks', async () => {
  await using digests = new DigestPool({ log: silentLog, memory: new BodyMemory() })
  const bodies = Array.from({ length: 50 }, (_, at) => randomBytes([1, 999, 1000, 1001, 20_000][at % 5] ?? 1))
  expect(await Promise.all(bodies.map((body) => read(digests, body)))).toEqual(bodies.map(({ length }) => length))
  await expect(read(digests, randomBytes(5000), { sha256: hash('sha256', 'other') })).rejects.toThrow(DamagedBlob)
})

test('blocks larger than the shared memory are hashed in parts', async () => {
  await using digests = new DigestPool({ log: silentLog, memory: new BodyMemory() })
  const body = randomBytes(3_500_000)
  expect(await read(digests, body, { blockBytes: 3_000_000 })).toBe(body.length)
})

test('an abandoned read does not affect later ones', async () => {
  await using digests = new DigestPool({ log: silentLog, memory: new BodyMemory() })
  const body = randomBytes(5000)
  const whole = { length: body.length, sha256: hash('sha256', body) }
  for await (const _ of verifyWhole(blocksOf(body), whole, () => digests.beginOne('sha256'))) break
  expect(await read(digests, body)).toBe(body.length)
})

test('without memory for copies the end of a stream reports it, not its bytes', async () => {
  const memory = new BodyMemory()
  await using digests = new DigestPool({ log: silentLog, memory })
  vi.spyOn(memory, 'take').mockImplementation(() => Promise.reject(storageErrors.cache_busy()))
  using digest = digests.beginOne('sha256')
  expect(await digest.add(randomBytes(5000))).toBeUndefined()
  await expect(digest.end()).rejects.toMatchObject({ code: 'cache_busy' })
})

test('a block added after the stream was abandoned is not sent to the thread', async () => {
  const sent: string[] = []
  const memory = new BodyMemory()
  const startWorker = (shared: SharedArrayBuffer) => {
    const worker = startDigestWorker(shared)
    vi.spyOn(worker, 'postMessage').mockImplementation(({ is }) => void sent.push(is))
    return worker
  }
  await using digests = new DigestPool({ log: silentLog, memory, threads: 1, startWorker })
  const digest = digests.beginOne('sha256')
  digest[Symbol.dispose]()
  await digest.add(randomBytes(5000))
  await digest.add(await memory.take())
  expect(sent).toEqual(['drop'])
})

test('I-30: when the thread exits, its reads fail without reporting damage, and the next read starts a new thread', async () => {
  const crashing = () => new Worker("require('node:worker_threads').parentPort.on('message', () => process.exit(1))", { eval: true })
  const starts = [startDigestWorker, crashing]
  const startWorker = (memory: SharedArrayBuffer) => (starts.pop() ?? startDigestWorker)(memory)
  await using digests = new DigestPool({ log: silentLog, memory: new BodyMemory(), threads: 1, startWorker })
  const body = randomBytes(5000)
  await expect(read(digests, body)).rejects.toMatchObject({ code: 'content_unavailable' })
  expect(await read(digests, body)).toBe(body.length)
  expect(starts).toEqual([])
})

test('the heaps of the threads are counted from their start, within the budget', async () => {
  await using digests = new DigestPool({ log: silentLog, memory: new BodyMemory(), threads: 2 })
  expect(await digests.memory()).toEqual({ budgetBytes: 2 * threadHeapBytesMax, usedBytes: 0 })
  await read(digests, randomBytes(5000))
  const { usedBytes, budgetBytes } = await digests.memory()
  expect(usedBytes).toBeGreaterThan(1024 * 1024)
  expect(usedBytes).toBeLessThan(budgetBytes)
})
