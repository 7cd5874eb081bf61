import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import { contentErrors } from '#plugins/storage'
import { readAll } from '../../storage/testing/object-storage.ts'
import { openPackScene, place } from '../testing/pack-scene.ts'
import { compactBucket } from './compact-packs.ts'

async function openScene() {
  const scene = await openPackScene()
  const bodies = new Map<string, Buffer>()
  return Object.assign(scene, {
    bodies,
    async putAll(count: number, bytes = 10_000) {
      for (let at = 0; at < count; at++) {
        const key = `k${bodies.size}`
        bodies.set(key, randomBytes(bytes))
        await scene.put(key, bodies.get(key) ?? '')
      }
    },
    /** Seals what waits, and removes the file of the pack when it has its copies. */
    async sealAndStore(): Promise<number> {
      await scene.seal()
      const packId = await scene.store()
      await scene.packs.releaseFile(packId)
      return packId
    },
    async remove(...keys: readonly string[]) {
      for (const key of keys) {
        const version = await scene.objects.find('photos', key)
        await scene.versions.delete({ bucket: 'photos', key, versionId: version?.versionId ?? '' })
        bodies.delete(key)
      }
    },
    async expectReadable() {
      for (const [key, body] of bodies) expect(await readAll(await scene.objects.open('photos', key))).toEqual(body)
    },
  })
}

test('the living members of packs move to one pack when it has final copies, and the old ones are removed', async () => {
  await using scene = await openScene()
  await scene.putAll(6)
  const first = await scene.sealAndStore()
  await scene.putAll(3)
  const second = await scene.sealAndStore()
  await scene.remove('k0', 'k2', 'k3', 'k7')
  await scene.evictAll()
  for (const packId of [first, second]) await scene.ask(packId)
  expect(await compactBucket(scene.deps, place)).toMatchObject({ kind: 'wait', reason: 'copies' })
  const next = scene.newest()
  expect([next === second, await scene.members(next)]).toEqual([false, []])
  await scene.expectReadable()
  await scene.remove('k5')
  await scene.store(next, 1)
  expect(await compactBucket(scene.deps, place)).toMatchObject({ kind: 'wait', reason: 'copies' })
  await scene.store(next, 2)
  const unreliable = { ...scene.deps, finalCopies: async () => 1 }
  expect(await compactBucket(unreliable, place)).toMatchObject({ kind: 'wait', reason: 'copies' })
  expect(await compactBucket(scene.deps, place)).toEqual({ kind: 'done' })
  expect(scene.keeper.released).toEqual([first, second])
  for (const gone of [first, second]) scene.source.copies.delete(gone)
  expect(await scene.members(next)).toHaveLength(4)
  await scene.packs.releaseFile(next)
  await scene.expectReadable()
  expect(await allRows(scene.database.read, 'select * from pack_moves')).toEqual([])
  expect(await allRows(scene.database.read, 'select * from asked_compactions')).toEqual([])
  await scene.expectSound()
})

test('I-09: a run that is killed after any step is finished by the next one, and one pack is written', async () => {
  await using scene = await openScene()
  const { packs } = scene
  await scene.putAll(4)
  const old = await scene.sealAndStore()
  await scene.remove('k1')
  await scene.ask(old)
  const killed = new Error('killed')
  const afterWrite: typeof packs = Object.assign(Object.create(packs), {
    createNext: (...call: Parameters<typeof packs.createNext>) => packs.createNext(...call).then(() => Promise.reject(killed)),
  })
  await expect(compactBucket({ ...scene.deps, packs: afterWrite }, place)).rejects.toBe(killed)
  const next = await scene.store()
  const afterMove = (own: typeof scene.database) =>
    Object.assign(Object.create(own), {
      write: (...call: Parameters<typeof own.write>) => own.write(...call).then(() => Promise.reject(killed)),
    })
  await expect(compactBucket({ ...scene.deps, fence: afterMove }, place)).rejects.toBe(killed)
  expect(await compactBucket(scene.deps, place)).toEqual({ kind: 'done' })
  expect(scene.newest()).toBe(next)
  expect(scene.keeper.released).toEqual([old])
  await scene.expectReadable()
  await scene.expectSound()
})

test('I-31: a member with other bytes at the providers stops the compaction before anything changes', async () => {
  await using scene = await openScene()
  await scene.putAll(3)
  const old = await scene.sealAndStore()
  await scene.evictAll()
  const bytes = Buffer.from(scene.source.copies.get(old) ?? [])
  const at =
    bytes.indexOf(
      createHash('sha256')
        .update(scene.bodies.get('k1') ?? '')
        .digest(),
    ) + 100
  bytes[at] = (bytes[at] ?? 0) ^ 1
  scene.source.copies.set(old, bytes)
  await scene.ask(old)
  await expect(compactBucket(scene.deps, place)).rejects.toThrow(/other bytes than its own/)
  expect(await scene.members(old)).toHaveLength(3)
  expect(await allRows(scene.database.read, 'select * from pack_moves')).toEqual([])
  await scene.expectSound()
})

test('packs that cannot be read keep no other pack of the bucket from being replaced', async () => {
  await using scene = await openScene()
  const packIds: number[] = []
  for (let at = 0; at < 3; at++) {
    await scene.putAll(2)
    packIds.push(await scene.sealAndStore())
  }
  await scene.remove('k0', 'k2', 'k4')
  await scene.evictAll()
  const [damaged = 0, gone = 0, whole = 0] = packIds
  for (const packId of packIds) await scene.ask(packId)
  scene.source.copies.set(damaged, Buffer.alloc(scene.source.copies.get(damaged)?.length ?? 0))
  const open: typeof scene.packs.open = async (packId) => {
    if (packId === gone) throw contentErrors.content_unavailable({ message: 'no provider answers' })
    return await scene.packs.open(packId)
  }
  const deps = { ...scene.deps, packs: { ...scene.packs, open } }
  expect(await compactBucket(deps, place)).toMatchObject({ kind: 'wait', reason: 'copies' })
  await scene.store()
  await expect(compactBucket(deps, place)).rejects.toThrow(/other bytes than its own|cannot be read/)
  expect(scene.keeper.released).toEqual([whole])
  for (const packId of [damaged, gone]) expect(await scene.members(packId)).toHaveLength(1)
  await scene.expectSound()
})

test('a pack that is lost before its members moved is given up, and another one is written', async () => {
  await using scene = await openScene()
  await scene.putAll(3)
  const old = await scene.sealAndStore()
  await scene.remove('k1')
  await scene.ask(old)
  await compactBucket(scene.deps, place)
  const lost = scene.newest()
  await scene.evictAll()
  await scene.database.write((tx) => runSql(tx, "update contents set store_state = 'lost' where id = ?", lost))
  expect(await compactBucket(scene.deps, place)).toEqual({ kind: 'done' })
  expect(await scene.members(old)).toHaveLength(2)
  await scene.ask(old)
  expect(await compactBucket(scene.deps, place)).toMatchObject({ kind: 'wait', reason: 'copies' })
  expect(scene.newest()).not.toBe(lost)
  await scene.store()
  expect(await compactBucket(scene.deps, place)).toEqual({ kind: 'done' })
  expect(scene.keeper.released).toEqual([old])
  expect(await allRows(scene.database.read, "select id from contents where state = 'live' and id = ?", lost)).toEqual([])
  await scene.packs.releaseFile(scene.newest())
  await scene.expectReadable()
  await scene.expectSound()
})

test('a bucket that is deleted during a compaction leaves nothing', async () => {
  await using scene = await openScene()
  await scene.putAll(2)
  const old = await scene.sealAndStore()
  await scene.ask(old)
  await compactBucket(scene.deps, place)
  const next = scene.newest()
  await scene.remove('k0', 'k1')
  await scene.buckets.delete('photos')
  expect(await compactBucket(scene.deps, place)).toEqual({ kind: 'done' })
  expect(await allRows(scene.database.read, 'select * from pack_moves')).toEqual([])
  expect(await allRows(scene.database.read, "select id from contents where state = 'live'")).toEqual([])
  expect(next).not.toBe(old)
})

test('no pack is written when all members of the chosen packs are deleted before they are read', async () => {
  await using scene = await openScene()
  await scene.putAll(2)
  const old = await scene.sealAndStore()
  await scene.ask(old)
  const prices = () => scene.remove(...scene.bodies.keys()).then(() => undefined)
  expect(await compactBucket({ ...scene.deps, prices }, place)).toEqual({ kind: 'done' })
  expect(scene.keeper.released).toEqual([old])
  expect(await allRows(scene.database.read, "select id from contents where state = 'live'")).toEqual([])
  await scene.expectSound()
})
