import { expect, test } from 'vitest'
import { runSql } from '#kernel/testing'
import { findDataSet, planDataSet } from '../datasets/data-set-store.ts'
import { ensureDataSet } from '../datasets/ensure-data-set.ts'
import { openEndingScene } from '../testing/ending-scene.ts'
import { rowStates } from '../testing/storage-rows.ts'

const hourMs = 3_600_000
const plan = { providerId: '9', providerAddress: '0x9', payee: '0x9', serviceUrl: 'http://p', clientDataSetId: 99n, pieceBytesMax: 1000 }

/** A planned data set whose provider got the signed creation and refused it; its bucket is deleted. */
async function openRefused() {
  const ending = await openEndingScene()
  const { storage, deps } = ending
  const { database } = storage
  const { id: bucketId } = storage.buckets.require('photos')
  const id = (await database.write((tx) => planDataSet(rowStates(0), tx, { ...plan, bucketId, slot: 3 }))) as number
  await database.write(async (tx) => {
    await storage.states.dataSets.apply(tx, 'creation_recorded', id, { extraData: '0x' })
    await storage.states.dataSets.apply(tx, 'creation_refused', id, { code: 'throttled', message: 'busy' })
  })
  await storage.buckets.delete('photos')
  return {
    ending,
    id,
    end: () => ending.run(id),
    follow: () => ensureDataSet(deps, id, new AbortController().signal),
    find: () => findDataSet(database.read, id),
  }
}

test('I-24: a refused creation is forgotten only when no transaction of the provider can land any more', async () => {
  const { ending, id, end, follow, find } = await openRefused()
  await using scope = ending
  const { scene, clock, scheduled } = scope
  scene.sender = { pooled: 7, final: 5 }
  expect(await end()).toMatchObject({ kind: 'wait', reason: 'target_creating' })
  expect(scheduled).toEqual([`ensure ${id}`])
  await clock.advance(hourMs)
  for (let n = 0; n < 3; n++) {
    expect(await follow()).toMatchObject({ kind: 'wait', reason: 'target_creating' })
    expect(await end()).toMatchObject({ kind: 'wait', reason: 'target_creating' })
  }
  scene.sender = { pooled: 7, final: 7 }
  await follow()
  // Nothing is sent again for a data set that must end.
  expect(await follow()).toEqual({ kind: 'done' })
  expect(scheduled).toEqual([`ensure ${id}`, `end ${id}`])
  expect(await end()).toEqual({ kind: 'done' })
  expect(await find()).toBeUndefined()
})

test.each(['before', 'after'] as const)('I-24: a refused creation that lands %s the end was requested is ended on chain', async (when) => {
  const { ending, id, end, follow, find } = await openRefused()
  await using scope = ending
  const { scene, clock, scheduled } = scope
  if (when === 'before') scene.createdAs = 42n
  expect(await end()).toMatchObject({ kind: 'wait', reason: 'target_creating' })
  scene.createdAs = 42n
  expect(await follow()).toEqual({ kind: 'done' })
  expect(await find()).toMatchObject({ state: 'ready', chainId: 42n })
  expect(scheduled).toEqual([`ensure ${id}`, `end ${id}`])
  for (let n = 0; n < 400 && (await end()).kind !== 'done'; n++) {
    await clock.advance(hourMs)
    scene.head += 1n
  }
  expect(await find()).toBeUndefined()
  expect(scene.relayed).toHaveLength(1)
})

test('I-24: a creation that lands after the proof that it could not is still found', async () => {
  const { ending, end, follow, find } = await openRefused()
  await using scope = ending
  const { scene, clock } = scope
  await end()
  await clock.advance(hourMs)
  await follow()
  await follow()
  expect(await find()).toMatchObject({ state: 'planned' })
  scene.createdAs = 42n
  expect(await end()).toMatchObject({ kind: 'wait', reason: 'target_creating' })
  await follow()
  expect(await find()).toMatchObject({ state: 'ready', chainId: 42n })
})

test('I-24: a lost data set whose id a reorganisation freed is looked up before it is forgotten', async () => {
  const ending = await openEndingScene({ state: 'lost' })
  await using scope = ending
  const { scene, storage, clock, scheduled, deps, run } = scope
  await storage.database.write((tx) => runSql(tx, 'update data_sets set chain_id = null, create_sender_nonce = 3'))
  scene.sender = { pooled: 7, final: 5 }
  await storage.buckets.delete('photos')
  const follow = () => ensureDataSet(deps, 1, new AbortController().signal)
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'target_creating' })
  expect(scheduled).toEqual(['ensure 1'])
  await clock.advance(hourMs)
  await follow()
  await follow()
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'target_creating' })
  scene.sender = { pooled: 7, final: 7 }
  await follow()
  expect(await run()).toEqual({ kind: 'done' })
  expect(await scope.count('buckets')).toBe(0)
})
