import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import { updateReleasable } from '../catalog/cached/releasable-store.ts'
import type { ObjectVersion } from '../contract.ts'
import { stageUploads } from '../testing/staged-uploads.ts'
import { openVersionStorage } from '../testing/version-storage.ts'

const { signal } = new AbortController()

test('lru keeps the parts of an open upload, however old and above the high watermark, until they are an object with enough copies', async () => {
  const clock = createFakeClock()
  await using storage = await openVersionStorage({ clock, maxBytes: 1000, rules: { policy: 'lru', highBytes: 500, lowBytes: 100 } })
  const staged = stageUploads(storage.uploads)
  const copyTwice = async (version: ObjectVersion) => {
    for (let copies = 0; copies < 2; copies++) await storage.keep(version)
    await storage.database.write((tx) => updateReleasable(tx, version.contentId ?? 0))
  }
  const upload = await staged.create('large')
  const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(100))
  const parts = await Promise.all(texts.map((text, at) => staged.put(upload, at + 1, text)))
  await clock.advance(86_400_000)
  await copyTwice(await storage.put('stored', 'e'.repeat(200)))
  expect(storage.cache.stats().usedBytes).toBe(600)

  expect(await storage.cache.reconcileCapacity(signal)).toBe('nothing_releasable')
  expect(storage.cache.stats().usedBytes).toBe(400)
  const object = await staged.complete(upload, parts)
  expect(await storage.text('large')).toBe(texts.join(''))
  await copyTwice(object)
  await clock.advance(86_400_000)
  await storage.put('newer', 'f'.repeat(200))
  expect(await storage.cache.reconcileCapacity(signal)).toBe('nothing_releasable')
  expect(storage.cache.stats().usedBytes).toBe(200)
  await storage.expectSound()
})
