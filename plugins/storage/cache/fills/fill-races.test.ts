/** Random interleavings of reads, evictions, uploads and deletions of the same contents. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runSql } from '#kernel/testing'
import { type ColdStorage, openColdStorage } from '../../testing/cold-storage.ts'
import { readAll } from '../../testing/object-storage.ts'

const keys = ['a', 'b', 'c']
const runs = 25
/** Steps at the same time. */
const atOnce = 6
/** All contents fit, but not beside the largest upload. */
const maxBytes = 2_000_000

/** Bytes that only the key determines, so that uploads of a key are of the same content. The last one has several blocks. */
const bytesOf = (key: string): Uint8Array => {
  const seed = createHash('sha512').update(key).digest()
  return Buffer.alloc(key === 'c' ? 700_000 : 5000, seed)
}

const key = fc.constantFrom(...keys)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('read' as const), key, start: fc.double({ min: 0, max: 0.9, noNaN: true }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('readWhole' as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('abort' as const), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('evict' as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('put' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reserve' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), key }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function put(storage: ColdStorage, key: string): Promise<void> {
  const { contentId } = await storage.put(key, bytesOf(key))
  storage.source.copies.set(contentId ?? 0, bytesOf(key))
  storage.keeper.copies.set(contentId ?? 0, 2)
  await storage.database.write(async (tx) => {
    await runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2 where id = ?', contentId)
    await runSql(tx, "update cache_entries set releasable = 1 where content_id = ? and state = 'present'", contentId)
  })
}

/** Expected while keys are deleted and the cache is small. */
const expected = new Set(['object_not_found', 'content_unavailable', 'cache_busy', 'cache_full'])

function unlessExpected(error: Error & { readonly code?: string }): void {
  if (!expected.has(error.code ?? '') && !/no copy of content/.test(error.message)) throw error
}

async function read(storage: ColdStorage, key: string, start: number): Promise<void> {
  const bytes = bytesOf(key)
  const opened = await storage.objects.open('photos', key)
  const range = start === 0 ? undefined : { start, end: bytes.length - 1 }
  // A deleted content may lose its copies during the read: it then fails, and never returns wrong bytes.
  const got = await readAll(opened, range).catch(unlessExpected)
  if (got) expect(Buffer.compare(got, bytes.subarray(start))).toBe(0)
}

async function run(storage: ColdStorage, step: Step): Promise<void> {
  const current = await storage.objects.find('photos', step.key)
  const contentId = current?.contentId ?? 0
  if (step.do === 'put') await put(storage, step.key)
  else if (step.do === 'evict') await storage.cache.evict(contentId)
  else if (step.do === 'delete' && current && !current.isDeleteMarker)
    await storage.versions.delete({ bucket: 'photos', key: step.key, versionId: current.versionId })
  else if (step.do === 'read') await read(storage, step.key, Math.floor(bytesOf(step.key).length * step.start))
  else if (step.do === 'readWhole') await read(storage, step.key, 0)
  else if (step.do === 'reserve') (await storage.cache.reserve(1_500_000))[Symbol.dispose]()
  else if (step.do === 'pass') await new Promise((resolve) => setImmediate(resolve))
  else if (step.do === 'abort') {
    await using opened = await storage.objects.open('photos', step.key)
    await opened.read()[Symbol.asyncIterator]().next()
  }
}

async function race(databaseBytesMax: number): Promise<void> {
  await using storage = await openColdStorage({ maxBytes, databaseBytesMax, fillLimits: { capacityShare: 1, restBytes: 0 } })
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
    for (const key of keys) await put(storage, key)
    const waiting = [...steps]
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await run(storage, next).catch(unlessExpected)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    await storage.settled()
    await storage.expectSound()
    const { usedBytes } = storage.cache.stats()
    expect(usedBytes).toBeLessThanOrEqual(maxBytes)
    for (const key of keys) await put(storage, key)
    for (const key of keys) await read(storage, key, 0)
  })
  await fc.assert(property, { numRuns: runs })
  const { finished, abandoned } = storage.cache.fillCounts
  expect([finished > 0, abandoned > 0]).toEqual([true, true])
}

test('readers get the right bytes, and files, rows and counts agree, whatever happens at the same time', { timeout: 60_000 }, () => race(0))

test('readers get the right bytes when small contents are in the database', { timeout: 60_000 }, () => race(16 * 1024))
