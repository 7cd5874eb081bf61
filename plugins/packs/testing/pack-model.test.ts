/** Random work on packed objects, compared with a model in memory. */
import { describe, expect, test } from 'vitest'
import { allRows } from '#kernel/testing'
import type { ObjectVersion } from '#plugins/storage'
import { randomOf } from '../../storage/testing/random.ts'
import { compactBucket } from '../compaction/compact-packs.ts'
import { packStored } from '../stored/pack-stored.ts'
import { askToPack } from '../stored/stored-store.ts'
import { keepPacks } from '../upkeep/keep-packs.ts'
import { openPackScene, type PackScene, place } from './pack-scene.ts'

const stepsPerSeed = 250
/** `SVC_PACK_SEEDS=100` runs more of them by hand. */
const seeds = Array.from({ length: Number(process.env.SVC_PACK_SEEDS ?? 4) }, (_, index) => index + 1)
/** Over all seeds, so that the test tells when its steps do nothing. */
const counts = { compactions: 0, lost: 0, ended: 0, adopted: 0 }

interface ModelVersion {
  readonly key: string
  readonly versionId: string
  readonly contentId: number
  readonly text: string
}

const ids = async ({ database }: PackScene, sql: string, ...values: readonly number[]) =>
  (await allRows<{ id: number }>(database.read, sql, ...values)).map(({ id }) => id)

const cachedPacks = (scene: PackScene) =>
  ids(scene, 'select p.content_id as id from packs p join cache_entries e on e.content_id = p.content_id')

/** Living packs. */
const packsOf = (scene: PackScene) => ids(scene, 'select content_id as id from packs')

/** All copies of the pack are lost. Returns the members whose bytes are nowhere now. */
async function losePack(scene: PackScene, packId: number): Promise<readonly number[]> {
  const isCached =
    (await ids(scene, "select content_id as id from cache_entries where content_id = ? and state = 'present'", packId)).length > 0
  scene.source.copies.delete(packId)
  scene.keeper.copies.delete(packId)
  await scene.database.write((tx) => scene.contents.recount(tx, [packId], 1))
  if (isCached) return []
  return ids(
    scene,
    `select m.content_id as id from pack_members m where m.pack_id = ?
       and not exists (select 1 from cache_entries e where e.content_id = m.content_id and e.state = 'present')`,
    packId,
  )
}

function stepsOf(scene: PackScene, random: (below: number) => number) {
  const versions: ModelVersion[] = []
  const lost = new Set<number>()
  const { database, packs } = scene
  const record = ({ key, versionId, contentId }: ObjectVersion, text: string) =>
    void versions.push({ key, versionId, contentId: contentId ?? 0, text })
  const pick = <T>(items: readonly T[]): T | undefined => items[random(items.length || 1)]
  const steps = {
    async put() {
      // Few bodies, so that equal ones are frequent.
      const text = `${random(12)} `.repeat(1 + random(400))
      record(await scene.put(`k${random(8)}`, text), text)
    },
    /** Becomes a piece of its own. */
    async putAlone() {
      scene.collecting.bytesMax = 0
      await steps.put()
      scene.collecting.bytesMax = 50_000
    },
    async storeAlone() {
      const alone = await ids(
        scene,
        `select c.id from contents c join cache_entries e on e.content_id = c.id and e.state = 'present' where c.ref_count > 0
           and c.id not in (select content_id from pack_members) and c.id not in (select content_id from waiting_members)`,
      )
      for (const id of alone) await scene.store(id)
    },
    async packStored() {
      await database.write((tx) => askToPack(tx, { bucketId: 1, contents: 2, nowMs: 1 }))
      const before = scene.keeper.released.length
      await packStored({ ...scene.deps, objectBytesMax: 50_000 }, place)
      counts.adopted += scene.keeper.released.length - before
    },
    async copy() {
      const source = pick(versions)
      if (!source || lost.has(source.contentId)) return
      const from = { bucket: 'photos', key: source.key, versionId: source.versionId }
      const { version } = await scene.objects.copy({ source: from, target: { bucket: 'photos', key: `k${random(8)}` } })
      record(version, source.text)
    },
    async remove() {
      const [gone] = versions.splice(random(versions.length || 1), 1)
      if (gone) await scene.versions.delete({ bucket: 'photos', key: gone.key, versionId: gone.versionId })
    },
    seal: () => scene.seal(),
    async store() {
      const packId = pick(await cachedPacks(scene))
      if (packId !== undefined) await scene.store(packId, 1 + random(2))
    },
    evict: () => scene.evictAll(),
    keep: () => keepPacks({ database, fenced: database, packs, queue: { add: async () => 0 } }, scene.deps.signal),
    async lose() {
      const packId = random(6) === 0 ? pick(await packsOf(scene)) : undefined
      for (const id of packId === undefined ? [] : await losePack(scene, packId)) lost.add(id)
    },
    async askCompaction() {
      const packId = pick(await packsOf(scene))
      if (packId !== undefined) await scene.ask(packId)
    },
    async compact() {
      // A pack whose bytes are gone cannot be read.
      const outcome = await compactBucket(scene.deps, place).catch((error: Error) => {
        if (lost.size === 0) throw error
      })
      counts.compactions += outcome?.kind === 'done' ? 1 : 0
    },
    async storeAll() {
      for (const packId of await cachedPacks(scene)) await scene.store(packId)
    },
  }
  async function check(): Promise<void> {
    for (const { key, versionId, contentId, text } of versions) {
      const read = scene.text(key, versionId)
      // A compaction may have saved it, or the same bytes may have been put again.
      const found = await (lost.has(contentId) ? read.catch(() => text) : read)
      expect(found).toBe(text)
    }
    await scene.expectSound()
  }
  return { steps, check, versions, lost }
}

describe.each(seeds)('random work on packed objects, seed %i', (seed) => {
  test('I-18 I-19 I-20: no byte is lost that a provider or the cache has, and the rows agree', { timeout: 60_000 }, async () => {
    const random = randomOf(seed)
    await using scene = await openPackScene()
    const { steps, check, versions, lost } = stepsOf(scene, random)
    const names = Object.keys(steps) as (keyof typeof steps)[]
    for (let step = 0; step < stepsPerSeed; step++) {
      const name = random(3) === 0 ? 'put' : (names[random(names.length)] ?? 'put')
      await steps[name]()
      if (step % 15 === 14) await check()
    }
    counts.lost += lost.size
    counts.ended += scene.keeper.released.length
    await check()
    for (const { key, versionId } of versions) await scene.versions.delete({ bucket: 'photos', key, versionId })
    scene.keeper.copies.clear()
    await scene.database.write(async (tx) => {
      for (const { id } of await allRows<{ id: number }>(tx, 'select id from contents')) await scene.contents.recount(tx, [id], 1)
    })
    expect(await ids(scene, "select id from contents where state = 'live' and id not in (select pack_id from pack_moves)")).toEqual([])
  })
})

test('the steps of all seeds lose packs, end them and compact them', () => {
  expect(counts.compactions).toBeGreaterThan(5)
  expect(counts.adopted).toBeGreaterThan(5)
  expect(counts.lost).toBeGreaterThan(5)
  expect(counts.ended).toBeGreaterThan(5)
})
