import { expect, test } from 'vitest'
import { events } from '#kernel'
import { createFakeClock, testKernel } from '#kernel/testing'
import { buckets, objects, versions } from '../contract.ts'
import { storagePlugin } from '../plugin.ts'
import { chunksOf, plainHeaders } from '../testing/object-storage.ts'
import { createObjectEvents, objectEventLimits } from './object-events.ts'

function watch() {
  const told: unknown[] = []
  const clock = createFakeClock()
  const objectEvents = createObjectEvents({
    clock,
    events: {
      publish: ({ topic }, payload) => void told.push({ topic, ...payload }),
      isWatched: () => true,
      skip: () => void told.push('skipped'),
      subscribe: () => () => {},
    },
  })
  return { told, clock, objectEvents }
}

test('many changes of a bucket are one event a second', async () => {
  const { told, clock, objectEvents } = watch()
  for (let times = 0; times < 1000; times += 1) objectEvents.changed('photos')
  expect(told).toEqual([])
  await clock.advance(objectEventLimits.gatherMs)
  expect(told).toEqual([{ topic: 'objects_updated', bucket_name: 'photos' }])
  await clock.advance(10 * objectEventLimits.gatherMs)
  expect(told).toHaveLength(1)
  objectEvents.changed('photos')
  await clock.advance(objectEventLimits.gatherMs)
  expect(told).toHaveLength(2)
})

test('the buckets of a second are bounded, with a gap for the rest, and nothing is published after the stop', async () => {
  const { told, clock, objectEvents } = watch()
  const max = objectEventLimits.gatheredMax
  for (let at = 0; at < 2 * max; at += 1) objectEvents.changed(`b${at}`)
  await clock.advance(objectEventLimits.gatherMs)
  expect(told).toHaveLength(max + 1)
  expect(told.indexOf('skipped')).toBe(max)
  for (let at = 0; at < 2 * max; at += 1) objectEvents.changed(`b${at % max}`)
  await clock.advance(objectEventLimits.gatherMs)
  expect(told.slice(max + 1)).toHaveLength(max)
  expect(told.slice(max + 1)).not.toContain('skipped')
  const before = told.length
  objectEvents.changed('late')
  await objectEvents[Symbol.asyncDispose]()
  objectEvents.changed('later')
  await clock.advance(objectEventLimits.gatherMs)
  expect(told).toHaveLength(before)
})

test('every upload, deletion and restoration is told, whichever API asked for it; a refused one and one of nothing are not', async () => {
  const clock = createFakeClock()
  await using svc = await testKernel({ plugins: [storagePlugin], clock })
  const store = svc.kernel.get(objects)
  const history = svc.kernel.get(versions)
  let told = 0
  svc.kernel.get(events).subscribe(({ topic }) => {
    if (topic === 'objects_updated') told += 1
  })
  const count = async (change: () => Promise<unknown>) => {
    told = 0
    await change().catch(() => 'refused')
    await clock.advance(objectEventLimits.gatherMs)
    return told
  }
  const bucket = 'photos'
  const key = 'a.txt'
  await svc.kernel.get(buckets).create({ name: bucket, ownerAccessKey: null })
  const put = (text: string) => store.put({ bucket, key, body: chunksOf(Buffer.alloc(200, text)), size: 200, headers: plainHeaders })
  const [first] = [await put('1'), await put('2')]
  const marker = await store.delete(bucket, key)
  expect({
    put: await count(() => put('3')),
    copied: await count(() => store.copy({ source: { bucket, key }, target: { bucket, key: 'copy.txt' } })),
    deleted: await count(() => store.delete(bucket, key)),
    refused: await count(() => store.delete('absent', key)),
    nothing: await count(() => history.delete({ bucket, key, versionId: '0'.repeat(26) })),
    marker: await count(() => history.delete({ bucket, key, versionId: marker.versionId })),
    many: await count(() => history.deleteMany({ bucket, items: [{ key }, { key: 'other' }] })),
    purged: await count(() => history.deletePermanently({ bucket, key, versionId: first.versionId })),
  }).toEqual({ put: 1, copied: 1, deleted: 1, refused: 0, nothing: 0, marker: 1, many: 1, purged: 1 })
  const current = async () => (await history.ofKey({ bucket, key, limit: 1 })).versions[0]?.versionId ?? ''
  const deleted = await current()
  expect(await count(() => history.restoreDeleted({ bucket, key, versionId: deleted }))).toBe(1)
  expect(await current()).not.toBe(deleted)
  await store.delete(bucket, key)
  const last = await current()
  expect(await count(() => history.deleteObjectPermanently({ bucket, key, versionId: last }))).toBe(1)
})
