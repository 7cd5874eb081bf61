import { expect, test } from 'vitest'
import { allRows, getRow } from '#kernel/testing'
import type { ObjectVersion } from '../contract.ts'
import { type ColdStorage, openColdStorage } from '../testing/cold-storage.ts'
import { readAll } from '../testing/object-storage.ts'

const idOf = ({ contentId }: ObjectVersion): number => contentId ?? 0

/** Stores three objects as pieces of their own, and writes a pack with their bytes that has no members yet. */
async function openScene() {
  const storage = await openColdStorage({ fillsOnRead: false })
  const { packs, keeper, source, database, contents } = storage
  const put = async (key: string) => idOf(await storage.putCold(key, Buffer.from(`the bytes of ${key}`)))
  const ids = [await put('a'), await put('b'), await put('c')]
  await database.write((tx) => contents.recount(tx, ids, 1))
  const members: { readonly contentId: number; readonly offset: number }[] = []
  let bytes = Buffer.alloc(0)
  for (const [at, contentId] of ids.entries()) {
    const own = Buffer.from(`the bytes of ${'abc'[at]}`)
    const row = await getRow<{ sha256: string }>(database.read, 'select sha256 from contents where id = ?', contentId)
    members.push({ contentId, offset: bytes.length + 32 })
    bytes = Buffer.concat([bytes, Buffer.from(row?.sha256 ?? '', 'hex'), own])
  }
  bytes = Buffer.concat([bytes, Buffer.alloc(128)])
  const packId = await packs.createNext({
    bucketId: 1,
    targetCopies: 2,
    body: (async function* () {
      yield bytes
    })(),
  })
  return Object.assign(storage, {
    ids,
    packId,
    members,
    adopt: () => database.write((tx) => packs.adopt(tx, { packId, members })),
    async store(copies: number) {
      source.copies.set(packId, bytes)
      keeper.copies.set(packId, copies)
      await database.write((tx) => contents.recount(tx, [packId], 1))
    },
    texts: async () =>
      Promise.all(['a', 'b', 'c'].map(async (key) => Buffer.from(await readAll(await storage.objects.open('photos', key))).toString())),
  })
}

const membersOf = ({ database }: ColdStorage) => allRows(database.read, 'select content_id as id from pack_members order by content_id')

test('I-02 I-20: contents with pieces of their own become members when the pack has all copies, and their copies are released then', async () => {
  await using scene = await openScene()
  const { keeper, ids, database, packs } = scene
  expect(await packs.mayAdopt(database.read)).toBe(true)
  await scene.store(1)
  expect(await scene.adopt()).toBe(false)
  keeper.busy.add(ids[1] ?? 0)
  await scene.store(2)
  expect(await scene.adopt()).toBe(false)
  expect([await membersOf(scene), keeper.released]).toEqual([[], []])
  keeper.busy.clear()
  expect(await scene.adopt()).toBe(true)
  expect(await membersOf(scene)).toEqual(ids.map((id) => ({ id })))
  // The copies are those of three released contents, and no longer those of the members.
  expect(keeper.released).toHaveLength(3)
  const states = 'select state, ref_count, size from contents where id = ?'
  for (const id of keeper.released) expect(await getRow(database.read, states, id)).toEqual({ state: 'deleting', ref_count: 0, size: 14 })
  expect(ids.filter((id) => keeper.copies.has(id))).toEqual([])
  for (const id of ids) {
    scene.source.copies.delete(id)
    expect(await getRow(database.read, 'select store_state as state, durable_copies as n from contents where id = ?', id)).toEqual({
      state: 'stored',
      n: 2,
    })
  }
  expect(await scene.texts()).toEqual(['the bytes of a', 'the bytes of b', 'the bytes of c'])
  await scene.expectSound()
  // A second time nothing changes.
  expect(await scene.adopt()).toBe(true)
  expect(keeper.released).toHaveLength(3)
  // The rows of the released contents go with their copies.
  for (const id of keeper.released) keeper.copies.delete(id)
  await database.write((tx) => scene.contents.recount(tx, keeper.released, 1))
  expect(await allRows(database.read, "select id from contents where state = 'deleting'")).toEqual([])
})

test('a content that was deleted meanwhile is left out, and one that wants more copies raises the pack first', async () => {
  await using scene = await openScene()
  const { keeper, ids, database, versions } = scene
  await scene.store(2)
  const gone = await scene.objects.find('photos', 'a')
  await versions.delete({ bucket: 'photos', key: 'a', versionId: gone?.versionId ?? '' })
  await database.write((tx) =>
    scene.contents.raiseTargets(tx, { bucketId: 1, copies: 3, after: (ids[1] ?? 0) - 1, until: ids[1] ?? 0, limit: 1 }, 1),
  )
  expect(await scene.adopt()).toBe(false)
  expect(keeper.needed.at(-1)).toMatchObject({ id: scene.packId, targetCopies: 3 })
  await scene.store(3)
  expect(await scene.adopt()).toBe(true)
  expect(await membersOf(scene)).toEqual([{ id: ids[1] }, { id: ids[2] }])
  await scene.expectSound()
})
