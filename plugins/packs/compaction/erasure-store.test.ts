import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { dueTimes } from '#kernel'
import { loadContributions } from '#kernel/host'
import { allRows } from '#kernel/testing'
import { packsPlugin } from '../plugin.ts'
import { setErasure } from '../policies/packing-store.ts'
import { openPackScene, place } from '../testing/pack-scene.ts'
import { compactBucket } from './compact-packs.ts'
import { bucketsToCompact } from './compaction-store.ts'
import { askErasures } from './erasure-store.ts'

const dayMs = 86_400_000

test('a pack with bytes of deleted objects is replaced within the days of its bucket, and others are not', async () => {
  await using scene = await openPackScene()
  const { database, keeper } = scene
  const putTwo = async (name: string) => {
    for (const key of [`${name}1`, `${name}2`]) await scene.put(key, randomBytes(5000))
    await scene.seal()
    return scene.store()
  }
  const [old, whole] = [await putTwo('a'), await putTwo('b')]
  const remove = async (key: string) => {
    const version = await scene.objects.find('photos', key)
    return scene.versions.deletePermanently({ bucket: 'photos', key, versionId: version?.versionId ?? '' })
  }
  expect(await remove('a1')).toMatchObject({ sharedPackIds: [old] })
  const ask = (nowMs: number) => database.write((tx) => askErasures(tx, nowMs))
  const asked = () => allRows(database.read, 'select pack_id as id from asked_compactions')
  await ask(dayMs)
  await ask(90 * dayMs)
  expect(await asked()).toEqual([])
  await database.write((tx) => setErasure(tx, 1, 3))
  // One day before the end, because copies and the removal take their time.
  await ask(3 * dayMs - 1)
  expect(await asked()).toEqual([])
  await ask(3 * dayMs)
  expect(await asked()).toEqual([{ id: old }])
  expect(await bucketsToCompact(database.read)).toEqual([place])
  await compactBucket(scene.deps, place)
  await scene.store()
  expect(await compactBucket(scene.deps, place)).toEqual({ kind: 'done' })
  expect(keeper.released).toEqual([old])
  expect(await remove('b1')).toMatchObject({ sharedPackIds: [whole] })
  // The last object takes the piece with it.
  expect(await remove('b2')).not.toHaveProperty('sharedPackIds')
  await ask(200 * dayMs)
  expect(await asked()).toEqual([])
  expect(await allRows(database.read, 'select records, dead_at from sealed_packs')).toEqual([{ records: 1, dead_at: null }])
  await scene.expectSound()
})

test('after the clock was set back, the days of a bucket count from then on', async () => {
  await using scene = await openPackScene()
  const { database } = scene
  for (const key of ['a', 'b']) await scene.put(key, randomBytes(5000))
  await scene.seal()
  await scene.store()
  const version = await scene.objects.find('photos', 'a')
  await scene.versions.deletePermanently({ bucket: 'photos', key: 'a', versionId: version?.versionId ?? '' })
  await database.write((tx) => setErasure(tx, 1, 3))
  await database.write((tx) => askErasures(tx, 400 * dayMs))
  const times = (await loadContributions(dueTimes, [packsPlugin])).map(({ item }) => item)
  await database.write(async (tx) => {
    for (const { bound } of times) await bound(tx, dayMs)
  })
  await database.write((tx) => askErasures(tx, 3 * dayMs))
  expect(await allRows(database.read, 'select * from asked_compactions')).toHaveLength(1)
})

test('a request to replace a pack that ended is forgotten', async () => {
  await using scene = await openPackScene()
  const { database } = scene
  await scene.put('a', randomBytes(5000))
  await scene.seal()
  await scene.ask(await scene.store())
  const version = await scene.objects.find('photos', 'a')
  await scene.versions.deletePermanently({ bucket: 'photos', key: 'a', versionId: version?.versionId ?? '' })
  await database.write((tx) => askErasures(tx, dayMs))
  expect(await allRows(database.read, 'select * from asked_compactions')).toEqual([])
})
