import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import { openVersionStorage } from '../../storage/testing/version-storage.ts'
import type { LifecycleRule } from '../contract.ts'
import { migrations } from '../migrations.ts'
import { createLifecycleRules } from './lifecycle-rules.ts'

const engine = { expiryOf: () => ({ atMs: 1, ruleId: 'r' }), stateOf: async () => ({}) }
const rule = (days: number): LifecycleRule => ({
  id: 'r',
  isEnabled: true,
  filter: { form: 'filter', tags: [] },
  expiration: { kind: 'days', days },
})

async function openRules() {
  const clock = createFakeClock()
  const storage = await openVersionStorage({ clock, moreSchemas: [{ name: 's3', migrations }] })
  const { database, buckets } = storage
  const create = (more: Partial<Parameters<typeof createLifecycleRules>[0]> = {}) =>
    createLifecycleRules({ database, buckets, clock, engine, ...more })
  return { ...storage, clock, create, rules: await create(), photos: buckets.require('photos') }
}

test('rules are known from the start on, and every reader sees a change', async () => {
  await using scene = await openRules()
  const { rules, photos } = scene
  expect([rules.hasRules(photos), await rules.find(photos)]).toEqual([false, undefined])
  await rules.set(photos, [rule(1)])
  expect([rules.hasRules(photos), await rules.find(photos), await rules.find(photos)]).toEqual([true, [rule(1)], [rule(1)]])
  await rules.set(photos, [rule(2)])
  expect(await rules.find(photos)).toEqual([rule(2)])
  const later = await scene.create()
  expect(await later.find(photos)).toEqual([rule(2)])
  await rules.remove(photos)
  expect([rules.hasRules(photos), await rules.find(photos)]).toEqual([false, undefined])
})

test('rules that were read before a change are not kept as those after it', async () => {
  await using scene = await openRules()
  const { database, photos } = scene
  await scene.rules.set(photos, [rule(1)])
  const gate = Promise.withResolvers<void>()
  let isHeld = false
  const read: typeof database.read = {
    all: (...of) => database.read.all(...of),
    async get(...of) {
      const row = await database.read.get(...of)
      if (isHeld) await gate.promise
      return row
    },
  }
  const { write } = database
  const rules = await scene.create({ database: { ...database, read, write: (...job) => write.apply(database, job) as never } })
  isHeld = true
  const old = rules.find(photos)
  isHeld = false
  await rules.set(photos, [rule(2)])
  gate.resolve()
  await old
  expect(await rules.find(photos)).toEqual([rule(2)])
})

test('a transaction that holds the rules sees their revision, which is another one after each change', async () => {
  await using scene = await openRules()
  const { rules, photos, database } = scene
  const hold = () => database.write((tx) => rules.hold(tx, photos.id))
  expect(await hold()).toBeUndefined()
  await rules.set(photos, [rule(1)])
  const first = await hold()
  expect(first).toBe((await rules.read(photos.id))?.revision)
  const { rules: read } = (await rules.read(photos.id)) ?? {}
  // A run reads them for each page: the same rules are parsed once.
  expect((await rules.read(photos.id))?.rules).toBe(read)
  await rules.set(photos, [rule(2)])
  expect((await rules.read(photos.id))?.rules).toEqual([rule(2)])
  expect([undefined, first]).not.toContain(await hold())
  await scene.buckets.delete('photos')
  expect(await hold()).toBeUndefined()
  await expect(rules.set(photos, [rule(1)])).rejects.toMatchObject({ code: 'NoSuchBucket' })
})

test('buckets with rules are listed by id, those without a change since a time', async () => {
  await using scene = await openRules()
  const { rules, buckets, clock } = scene
  const made = []
  for (const name of ['one', 'two', 'three']) made.push(await buckets.create({ name, ownerAccessKey: null }))
  const beforeMs = clock.now()
  for (const bucket of made) {
    await clock.advance(1000)
    await rules.set(bucket, [rule(1)])
  }
  const ids = made.map(({ id }) => id)
  const list = (afterId: number, changedUntilMs: number, limit = 9) => rules.bucketsWithRules({ afterId, changedUntilMs, limit })
  expect(await list(0, clock.now())).toEqual(ids)
  expect(await list(0, clock.now(), 2)).toEqual(ids.slice(0, 2))
  expect(await list(ids[0] ?? 0, clock.now())).toEqual(ids.slice(1))
  expect(await list(0, beforeMs + 2000)).toEqual(ids.slice(0, 2))
})

test('without an engine rules are shown and deleted, but neither stored nor announced', async () => {
  await using scene = await openRules()
  const { photos } = scene
  await scene.rules.set(photos, [rule(1)])
  const version = await scene.put('a', 'bytes')
  expect(await scene.rules.expiryOf(photos, version)).toEqual({ atMs: 1, ruleId: 'r' })
  const resting = await scene.create({ engine: undefined })
  expect(await resting.find(photos)).toEqual([rule(1)])
  expect([resting.isCarriedOut, await resting.expiryOf(photos, version)]).toEqual([false, undefined])
  await expect(resting.set(photos, [rule(2)])).rejects.toMatchObject({ code: 'NotImplemented' })
  await resting.remove(photos)
  expect(await resting.find(photos)).toBeUndefined()
})
