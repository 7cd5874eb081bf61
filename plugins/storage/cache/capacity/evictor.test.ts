import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allRows, createFakeClock, type FakeClock, getRow, runSql, watchProbes } from '#kernel/testing'
import { releaseEntry } from '../../catalog/cached/eviction-store.ts'
import { updateReleasable } from '../../catalog/cached/releasable-store.ts'
import { defineReleaseGuard } from '../../contract.ts'
import type { ObjectStorageOptions } from '../../testing/object-storage.ts'
import { openVersionStorage, type VersionStorage } from '../../testing/version-storage.ts'
import type { EvictionRules } from './eviction-policy.ts'

const { signal } = new AbortController()
const lru: EvictionRules = { policy: 'lru', highBytes: 500, lowBytes: 300 }
const afterUpload: EvictionRules = { policy: 'after_upload' }
const none: EvictionRules = { policy: 'none' }

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-evictor-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

type TestCache = VersionStorage & { readonly clock: FakeClock }

/** A cache of 1000 bytes in a storage that needs two copies of each content. */
async function openCache(rules: EvictionRules, options: ObjectStorageOptions = {}): Promise<TestCache> {
  const clock = createFakeClock()
  return { ...(await openVersionStorage({ maxBytes: 1000, rules, clock, ...options })), clock }
}

/** Puts one object of 100 bytes per key, a second apart, each with `copies` committed copies. */
async function fill(storage: TestCache, keys: string, { copies = 2 } = {}): Promise<void> {
  for (const key of keys) {
    await storage.clock.advance(1000)
    const version = await storage.put(key, key.repeat(100))
    for (let slot = 1; slot <= copies; slot++) {
      await storage.keep(version)
    }
    await storage.database.write((tx) => updateReleasable(tx, version.contentId ?? 0))
  }
  await storage.clock.advance(1000)
}

/** The keys with cached bytes, sorted and joined. */
const cached = async ({ database }: VersionStorage): Promise<string> =>
  (
    await allRows<{ key: string }>(
      database.read,
      `select v.key from object_versions v join cache_entries e on e.content_id = v.content_id and e.state = 'present' order by 1`,
    )
  )
    .map(({ key }) => key)
    .join('')

test('lru starts at the high watermark, evicts the least recently read first and stops at the low watermark', async () => {
  await using storage = await openCache(lru)
  await fill(storage, 'abcd')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('enough')
  expect(await cached(storage)).toBe('abcd')
  await fill(storage, 'e')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('enough')
  expect(await cached(storage)).toBe('cde')
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 300, highWatermarkBytes: 500, lowWatermarkBytes: 300, isEvictionPaused: false })
  await storage.expectSound()
})

test('lru respects a read that is not in its row yet', async () => {
  await using storage = await openCache(lru)
  await fill(storage, 'abcde')
  await storage.clock.advance(60_000)
  await storage.text('a')
  await storage.clock.advance(1000)
  await storage.cache.reconcileCapacity(signal)
  expect(await cached(storage)).toBe('ade')
})

test('lru keeps a content that is read after its selection', async () => {
  await using storage = await openCache(lru)
  await fill(storage, 'abcde')
  using probes = watchProbes()
  const held = probes.holdAt('storage.evict.planned')
  const pass = storage.cache.reconcileCapacity(signal)
  await held.reached
  await storage.text('a')
  held.release()
  expect(await pass).toBe('enough')
  expect(await cached(storage)).toBe('ade')
  await storage.expectSound()
})

test('lru keeps a content that is read while the contents before it are claimed', async () => {
  const guard = defineReleaseGuard({
    name: 'reads the second content when the first is claimed',
    uses: {},
    async mayRelease(_services, _tx, contentId) {
      if (contentId === 1) storage.cache.touch(2, 0)
      return true
    },
  })
  await using storage = await openCache(lru, { releaseGuards: [{ item: guard, services: {} }] })
  await fill(storage, 'abcde')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('enough')
  expect(await cached(storage)).toBe('bde')
  await storage.expectSound()
})

test('lru keeps contents with too few copies, however old, and waits without an error', async () => {
  await using storage = await openCache(lru)
  await fill(storage, 'ab', { copies: 1 })
  await fill(storage, 'cd', { copies: 0 })
  await fill(storage, 'ef')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('nothing_releasable')
  expect(await cached(storage)).toBe('abcd')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('nothing_releasable')
  await storage.buckets.setCopyPolicy('photos', { minimumDurableCopies: 1 })
  await storage.database.write((tx) => updateReleasable(tx, 1))
  expect(await storage.cache.reconcileCapacity(signal)).toBe('enough')
  expect(await cached(storage)).toBe('bcd')
  await storage.expectSound()
})

test('I-02: a minimum raised after the entries became releasable prevents their eviction', async () => {
  await using storage = await openCache(lru)
  await fill(storage, 'abcde')
  await storage.buckets.setCopyPolicy('photos', { defaultCopies: 3, minimumDurableCopies: 3 })
  expect(await storage.cache.reconcileCapacity(signal)).toBe('nothing_releasable')
  expect(await cached(storage)).toBe('abcde')
})

test('lru evicts more contents than one page holds', async () => {
  await using storage = await openCache({ policy: 'lru', highBytes: 2000, lowBytes: 95 }, { maxBytes: 10_000 })
  const keys = Array.from({ length: 260 }, (_, place) => String.fromCodePoint(0x4e00 + place)).join('')
  await Promise.all(Array.from(keys, (key) => storage.put(key, Buffer.alloc(10, key))))
  await storage.database.write(async (tx) => {
    await runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2')
    await runSql(tx, 'update cache_entries set releasable = 1')
  })
  await storage.cache.reconcileCapacity(signal)
  expect(storage.cache.stats().usedBytes).toBe(90)
})

test('I-07: an aborted pass stops at its current page', async () => {
  await using storage = await openCache(afterUpload)
  await fill(storage, 'ab')
  await expect(storage.cache.reconcileCapacity(AbortSignal.abort(new Error('aborted by test')))).rejects.toThrow('aborted by test')
  expect(await cached(storage)).toBe('ab')
})

test('after_upload evicts all contents with enough copies, recently read or not, and keeps the others', async () => {
  await using storage = await openCache(afterUpload)
  await fill(storage, 'a', { copies: 1 })
  await fill(storage, 'bc')
  await storage.text('c')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('enough')
  expect(await cached(storage)).toBe('a')
  await storage.expectSound()
})

test('none evicts nothing, even from a full cache', async () => {
  await using storage = await openCache(none)
  await fill(storage, 'abcdefghij')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('enough')
  expect(await cached(storage)).toBe('abcdefghij')
  expect(storage.cache.stats()).not.toHaveProperty('highWatermarkBytes')
})

test('crossing the high watermark enqueues one pass, only under lru', async () => {
  await using storage = await openCache(lru)
  await fill(storage, 'abcd')
  expect(storage.scheduled).toEqual([])
  await fill(storage, 'ef')
  expect(storage.scheduled).toEqual(['reconcile capacity'])
  for (const rules of [afterUpload, none]) {
    await using other = await openCache(rules)
    await fill(other, 'abcdef')
    expect(other.scheduled).toEqual([])
  }
})

const tooLarge = (storage: VersionStorage) => storage.put('large', randomBytes(700))

test.each([lru, afterUpload])('under $policy a body without space gets cache_busy, and fits after the pass', async (rules) => {
  await using storage = await openCache(rules)
  await fill(storage, 'abcd')
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_busy', status: 503, retryAfterSeconds: 5 })
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_busy' })
  await expect.poll(() => storage.scheduled).toEqual(['reconcile capacity'])
  await storage.cache.reconcileCapacity(signal)
  await tooLarge(storage)
  expect(await cached(storage)).toBe(rules === lru ? 'bcdlarge' : 'large')
  await storage.expectSound()
})

test('while a whole page is being evicted, a body without space still gets cache_busy', async () => {
  await using storage = await openCache(afterUpload)
  for (let n = 0; n < 120; n++) await storage.put(`k${n}`, `bytes${n}`)
  await storage.database.write(async (tx) => {
    await runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2')
    await runSql(tx, 'update cache_entries set releasable = 1')
  })
  using probes = watchProbes()
  const held = probes.holdAt('storage.evict.claimed')
  const pass = storage.cache.reconcileCapacity(signal)
  await held.reached
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_busy' })
  held.release()
  await pass
  await tooLarge(storage)
})

test('the pending removal of many deleted objects does not stop eviction', async () => {
  await using storage = await openCache(afterUpload)
  for (let n = 0; n < 120; n++) await storage.put(`k${n}`, `bytes${n}`)
  await storage.database.write(async (tx) => {
    for (let contentId = 1; contentId <= 120; contentId++) await releaseEntry(tx, contentId)
  })
  await fill(storage, 'a')
  expect(await storage.cache.reconcileCapacity(signal)).toBe('enough')
  expect(await cached(storage)).toBe('')
})

test('under none a body without space gets cache_full, although copies are stored', async () => {
  await using storage = await openCache(none)
  await fill(storage, 'abcd')
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_full', status: 507 })
  expect(storage.scheduled).toEqual([])
})

test.each([lru, afterUpload])('under $policy a body gets cache_full once everything releasable is evicted', async (rules) => {
  await using storage = await openCache(rules)
  await fill(storage, 'abcd', { copies: 1 })
  await fill(storage, 'e')
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_busy' })
  await storage.cache.reconcileCapacity(signal)
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_full' })
})

test('while reads cannot be recorded lru is paused, reports it, and a body without space gets cache_full', async () => {
  await using storage = await openCache(lru)
  await fill(storage, 'abcde')
  for (let contentId = 1000; contentId <= 11_000; contentId++) storage.cache.touch(contentId, 0)
  expect(storage.cache.stats().isEvictionPaused).toBe(true)
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_full' })
  await storage.clock.advance(15_000)
  expect(storage.cache.stats().isEvictionPaused).toBe(false)
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_busy' })
})

test.each(['storage.evict.claimed', 'storage.evict.unlinked'])('bytes put again during their eviction stay cached: %s', async (point) => {
  await using storage = await openCache({ policy: 'lru', highBytes: 200, lowBytes: 150 })
  await fill(storage, 'ab')
  using probes = watchProbes()
  const held = probes.holdAt(point)
  const pass = storage.cache.reconcileCapacity(signal)
  await held.reached
  await storage.put('c', 'a'.repeat(100))
  held.release()
  await pass
  expect(await cached(storage)).toBe('ac')
  expect(await storage.text('a')).toBe('a'.repeat(100))
  await storage.expectSound()
})

test('an eviction finished by two tasks at the same time frees the bytes once', async () => {
  await using storage = await openCache(afterUpload)
  await fill(storage, 'a')
  using probes = watchProbes()
  const held = probes.holdAt('storage.evict.unlinked')
  const pass = storage.cache.reconcileCapacity(signal)
  await held.reached
  const contentId = (await getRow<{ id: number }>(storage.database.read, 'select id from contents'))?.id ?? 0
  await storage.cache.finishEviction(contentId)
  held.release()
  await pass
  expect(storage.cache.stats().usedBytes).toBe(0)
  await storage.expectSound()
})

test('after a policy change and restart only the new policy applies', async () => {
  const dir = await mkdtemp(join(root, 'switch-'))
  const first = await openCache(none, { dir })
  await fill(first, 'abcdef')
  await first.stop()
  for (const [rules, left] of [
    [none, 'abcdef'],
    [lru, 'def'],
    [afterUpload, ''],
  ] as const) {
    const next = await openCache(rules, { dir })
    await next.cache.reconcileCapacity(signal)
    expect(await cached(next)).toBe(left)
    await next.expectSound()
    await next.stop()
  }
})

test('when guards keep everything releasable, a body without space gets cache_full until they let something go', async () => {
  let isLocked = true
  const asked: number[] = []
  const guard = defineReleaseGuard({
    name: 'test',
    uses: {},
    async mayRelease(_services, _tx, contentId) {
      asked.push(contentId)
      return !isLocked
    },
  })
  await using storage = await openCache(afterUpload, { releaseGuards: [{ item: guard, services: {} }] })
  await fill(storage, 'abcd')
  await storage.database.write((tx) => runSql(tx, 'update contents set durable_copies = 0 where id = 2'))
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_busy' })
  await storage.cache.reconcileCapacity(signal)
  // Content 2 has too few copies by now: the guard is not asked.
  expect([await cached(storage), asked]).toEqual(['abcd', [1, 3, 4]])
  await expect(tooLarge(storage)).rejects.toMatchObject({ code: 'cache_full', status: 507 })
  isLocked = false
  await storage.cache.reconcileCapacity(signal)
  expect(await cached(storage)).toBe('b')
  await tooLarge(storage)
})
