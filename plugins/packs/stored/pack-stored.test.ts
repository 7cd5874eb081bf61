import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRows, getRow } from '#kernel/testing'
import { readAll } from '../../storage/testing/object-storage.ts'
import { compactBucket } from '../compaction/compact-packs.ts'
import { askErasures } from '../compaction/erasure-store.ts'
import { setErasure, setPacking } from '../policies/packing-store.ts'
import { openPackScene, place } from '../testing/pack-scene.ts'
import { packStored } from './pack-stored.ts'
import { askToPack, findAskedPacking, sumStored } from './stored-store.ts'

const objectBytesMax = 50_000

/** Objects that are stored as pieces of their own and are not cached, as before the bucket was packed. */
async function openScene(count: number, bytes = 10_000) {
  const scene = await openPackScene({ collectBytesMax: 0 })
  const { database, keeper, contents } = scene
  const bodies = new Map<string, Buffer>()
  const ids: number[] = []
  for (let at = 0; at < count; at++) {
    const [key, body] = [`k${at}`, randomBytes(bytes)]
    bodies.set(key, body)
    const { contentId = null } = await scene.putCold(key, body)
    ids.push(contentId ?? 0)
  }
  await database.write((tx) => contents.recount(tx, ids, 1))
  await database.write((tx) => setPacking(tx, 1, 'small'))
  return Object.assign(scene, {
    ids,
    bodies,
    ask: () => database.write((tx) => askToPack(tx, { bucketId: 1, contents: count, nowMs: 1 })),
    asked: () => findAskedPacking(database.read, 1),
    run: (change: Partial<Parameters<typeof packStored>[0]> = {}) => packStored({ ...scene.deps, objectBytesMax, ...change }, place),
    /** The removals of single pieces ended. */
    async removeReleased() {
      for (const id of keeper.released) keeper.copies.delete(id)
      await database.write((tx) => contents.recount(tx, keeper.released, 1))
    },
    async expectReadable() {
      for (const [key, body] of bodies) expect(await readAll(await scene.objects.open('photos', key))).toEqual(body)
    },
  })
}

const packOf = async ({ database }: Awaited<ReturnType<typeof openScene>>, id = 0) =>
  (await getRow<{ packId: number }>(database.read, 'select pack_id as "packId" from pack_members where content_id = ?', id))?.packId

test('I-02: stored objects are packed pack by pack, and their own pieces go only when the pack has final copies', async () => {
  await using scene = await openScene(30)
  const { keeper, database } = scene
  expect(await sumStored(database.read, { bucketId: 1, bytesMax: objectBytesMax })).toEqual({ contents: 30, bytes: 300_000, copies: 2 })
  expect(await scene.run()).toEqual({ kind: 'done' })
  await scene.ask()
  const rounds: number[] = []
  for (let outcome = await scene.run(); outcome.kind === 'wait'; outcome = await scene.run()) {
    expect(outcome).toMatchObject({ reason: 'copies' })
    expect(keeper.released).toHaveLength(rounds.reduce((sum, n) => sum + n, 0))
    const unreliable = await scene.run({ finalCopies: async () => 1 })
    expect(unreliable).toMatchObject({ kind: 'wait', reason: 'copies' })
    await scene.store()
    const before = keeper.released.length
    const asked = await scene.asked()
    expect(asked?.packed).toBe(before)
    const stopped = await scene.run()
    rounds.push(keeper.released.length - before)
    if (stopped.kind === 'done') break
  }
  // 200,000 bytes a pack.
  expect(rounds).toEqual([18, 12])
  expect(await scene.asked()).toBeUndefined()
  for (const id of scene.ids) {
    expect(keeper.copies.has(id)).toBe(false)
    scene.source.copies.delete(id)
  }
  await scene.removeReleased()
  await scene.expectReadable()
  await scene.expectSound()
  expect(await sumStored(database.read, { bucketId: 1, bytesMax: objectBytesMax })).toMatchObject({ contents: 0 })
})

test('I-09: a run that is killed after any step is finished by the next one, and each object is packed once', async () => {
  await using scene = await openScene(4)
  const { packs, database } = scene
  await scene.ask()
  const killed = new Error('killed')
  const afterWrite: typeof packs = Object.assign(Object.create(packs), {
    createNext: (...call: Parameters<typeof packs.createNext>) => packs.createNext(...call).then(() => Promise.reject(killed)),
  })
  await expect(scene.run({ packs: afterWrite })).rejects.toBe(killed)
  const packId = await scene.store()
  const afterAdoption: typeof packs = Object.assign(Object.create(packs), { move: () => Promise.reject(killed) })
  await expect(scene.run({ packs: afterAdoption })).rejects.toBe(killed)
  expect(await scene.asked()).toMatchObject({ packed: 4 })
  expect(await scene.run()).toEqual({ kind: 'done' })
  expect(scene.newest()).toBe(packId)
  for (const id of scene.ids) expect(await packOf(scene, id)).toBe(packId)
  expect(scene.keeper.released).toHaveLength(4)
  expect(await allRows(database.read, 'select * from pack_moves')).toEqual([])
  await scene.expectReadable()
  await scene.expectSound()
})

test('objects that cannot be read stay as they are, and a pack whose objects were all deleted ends', async () => {
  await using scene = await openScene(5)
  const [first = 0, second = 0] = scene.ids
  scene.source.copies.set(first, randomBytes(10_000))
  await scene.ask()
  expect(await scene.run()).toMatchObject({ kind: 'wait', reason: 'copies' })
  expect(await scene.asked()).toMatchObject({ leftOut: 1 })
  const packId = await scene.store()
  const one = await scene.objects.find('photos', 'k1')
  await scene.versions.delete({ bucket: 'photos', key: 'k1', versionId: one?.versionId ?? '' })
  expect(await scene.run()).toEqual({ kind: 'done' })
  expect([await packOf(scene, first), await packOf(scene, second), await packOf(scene, scene.ids[2])]).toEqual([
    undefined,
    undefined,
    packId,
  ])
  await scene.expectSound()
  for (const key of ['k2', 'k3', 'k4']) {
    const version = await scene.objects.find('photos', key)
    await scene.versions.delete({ bucket: 'photos', key, versionId: version?.versionId ?? '' })
  }
  expect(scene.keeper.released).toContain(packId)
})

test('nothing is packed while a plugin that keeps copies is absent: their pieces could not be removed', async () => {
  await using scene = await openScene(3)
  await scene.ask()
  const without: typeof scene.packs = Object.assign(Object.create(scene.packs), { mayAdopt: async () => false })
  expect(await scene.run({ packs: without })).toMatchObject({ kind: 'wait', reason: 'keeper' })
  expect(await allRows(scene.database.read, 'select * from packs')).toEqual([])
})

test('a pack that objects join page by page has no bytes of deleted objects, and is not replaced', async () => {
  await using scene = await openScene(120, 100)
  const { packs, database } = scene
  const dayMs = 86_400_000
  const marked = () => allRows(database.read, 'select pack_id from sealed_packs where dead_at is not null')
  await database.write((tx) => setErasure(tx, 1, 3))
  await scene.ask()
  await scene.run()
  const packId = await scene.store()
  const killed = new Error('killed')
  const calls: unknown[] = []
  const onePage: typeof packs = Object.assign(Object.create(packs), {
    adopt: (...call: Parameters<typeof packs.adopt>) => (calls.push(call) === 1 ? packs.adopt(...call) : Promise.reject(killed)),
  })
  await expect(scene.run({ packs: onePage })).rejects.toBe(killed)
  await database.write((tx) => askErasures(tx, dayMs))
  expect(await marked()).toEqual([])
  expect(await scene.run()).toEqual({ kind: 'done' })
  await database.write((tx) => askErasures(tx, 90 * dayMs))
  expect(await marked()).toEqual([])
  const deleted = await scene.objects.find('photos', 'k1')
  await scene.versions.delete({ bucket: 'photos', key: 'k1', versionId: deleted?.versionId ?? '' })
  await database.write((tx) => askErasures(tx, 90 * dayMs))
  expect(await marked()).toEqual([{ pack_id: packId }])
})

test('objects that a compaction of the bucket makes members are counted, each once', async () => {
  await using scene = await openScene(20)
  await scene.ask()
  await scene.run()
  await scene.store()
  expect(await compactBucket(scene.deps, place)).toEqual({ kind: 'done' })
  expect(await scene.asked()).toMatchObject({ packed: 18 })
  expect(await scene.run()).toMatchObject({ kind: 'wait', reason: 'copies', message: '18 of 20 objects are packed' })
})
