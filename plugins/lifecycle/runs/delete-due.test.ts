import { expect, test } from 'vitest'
import type { Log } from '#kernel'
import type { ObjectVersion, Versions } from '#plugins/storage'
import { dayMs, type LifecycleScene, openLifecycleScene } from '../testing/lifecycle-scene.ts'
import { turnMs } from './apply-rules.ts'
import { failuresMax } from './delete-due.ts'
import { pageSize } from './next-page.ts'

const noncurrent = { noncurrent: { days: 1 } }
const headers = { contentType: '', system: {}, user: {}, tags: { keep: 'no' } }

/** Runs the rules, with what clients do between the look at a page and its deletion. */
const runWith = (scene: LifecycleScene, between: () => Promise<void>) => {
  const { versions } = scene
  const list: Versions['list'] = async (request) => {
    const page = await versions.list(request)
    await between()
    return page
  }
  return scene.run({ versions: { ...versions, list } })
}

const idsOf = async ({ versions }: LifecycleScene) =>
  (await versions.list({ bucket: 'photos', limit: 1000 })).versions.map(({ versionId }) => versionId)

test('a noncurrent version whose tags a client changes between the look and the deletion stays', async () => {
  await using scene = await openLifecycleScene()
  const old = await scene.put('a', 'one', { headers })
  await scene.put('a', 'two')
  await scene.setRules({ ...noncurrent, filter: { form: 'filter', tags: [{ key: 'keep', value: 'no' }] } })
  await scene.clock.advance(dayMs)
  const { versionId } = old
  await runWith(scene, () => scene.versions.setTags({ bucket: 'photos', key: 'a', versionId, tags: { keep: 'yes' } }))
  expect(await idsOf(scene)).toContain(versionId)
  await scene.versions.setTags({ bucket: 'photos', key: 'a', versionId, tags: headers.tags })
  await scene.clock.advance(dayMs)
  await scene.run()
  expect(await idsOf(scene)).not.toContain(versionId)
  await scene.expectSound()
})

test('a version that was the current one between the look and the deletion is noncurrent since then', async () => {
  await using scene = await openLifecycleScene()
  const old = await scene.put('a', 'one')
  const marker = await scene.objects.delete('photos', 'a')
  await scene.setRules(noncurrent)
  await scene.clock.advance(dayMs)
  await scene.clock.advance(1000)
  await runWith(scene, async () => {
    await scene.versions.restoreDeleted({ bucket: 'photos', key: 'a', versionId: marker.versionId })
    await scene.put('a', 'two')
  })
  expect(await idsOf(scene)).toContain(old.versionId)
  await scene.clock.advance(2 * dayMs)
  await scene.run()
  expect(await idsOf(scene)).not.toContain(old.versionId)
  await scene.expectSound()
})

test('the wanted number of noncurrent versions stays when a client deletes newer ones between the look and the deletion', async () => {
  await using scene = await openLifecycleScene()
  const made: ObjectVersion[] = []
  for (let n = 0; n < 6; n++) made.push(await scene.put('a', `bytes ${n}`))
  await scene.setRules({ noncurrent: { days: 1, newerKept: 2 } })
  await scene.clock.advance(dayMs)
  const remove = (at: number) => scene.versions.delete({ bucket: 'photos', key: 'a', versionId: made[at]?.versionId ?? '' })
  await runWith(scene, async () => {
    await remove(5)
    await remove(3)
  })
  // The current one, and two noncurrent ones.
  const wanted = [4, 2, 1].map((at) => made[at]?.versionId)
  expect(await idsOf(scene)).toEqual(expect.arrayContaining(wanted))
  await scene.clock.advance(dayMs)
  await scene.run()
  expect(await idsOf(scene)).toEqual(wanted)
  await scene.expectSound()
})

test('a rule that deletes versions between those that another one counts leaves as many as it says', async () => {
  await using scene = await openLifecycleScene()
  for (let n = 0; n < 9; n++) await scene.put('a', n % 2 === 0 ? `small ${n}` : `larger ${n} ${'x'.repeat(100)}`)
  await scene.setRules(
    { noncurrent: { days: 1 }, filter: { form: 'filter', tags: [], sizeBelow: 50 } },
    { noncurrent: { days: 1, newerKept: 2 }, filter: { form: 'filter', tags: [] } },
  )
  await scene.clock.advance(dayMs)
  await scene.run()
  expect(await scene.keys()).toEqual(['a', 'a', 'a'])
  expect(scene.actionCounts.total.removed).toBe(6)
})

/** Fails each deletion of a key. */
const failing = ({ versions }: LifecycleScene, isFailing: (key: string) => boolean): Versions => ({
  ...versions,
  async deleteMany(request) {
    if (request.items.some(({ key }) => isFailing(key))) throw new Error('a keeper refuses')
    return await versions.deleteMany(request)
  },
})

test('a version that cannot be deleted stays, and those of its page and behind it are deleted', async () => {
  await using scene = await openLifecycleScene()
  for (let n = 0; n < pageSize + 20; n++) await scene.put(`k${String(n).padStart(4, '0')}`, `bytes ${n}`)
  await scene.setRules({ expiration: { kind: 'days', days: 1 } })
  await scene.clock.advance(dayMs)
  const warnings: unknown[] = []
  const log: Log = { ...scene.deps.log, warn: (...of) => void warnings.push(of) }
  await scene.run({ versions: failing(scene, (key) => key === 'k0003'), log })
  expect(scene.actionCounts.total.marked).toBe(pageSize + 19)
  expect((await scene.objects.list({ bucket: 'photos', limit: 10 })).entries.map(({ key }) => key)).toEqual(['k0003'])
  expect(warnings).toEqual([[expect.stringContaining('could not delete'), expect.objectContaining({ key: 'k0003', failed: 1 })]])
})

test('a run ends with the error when too many deletions fail, and when it lost its lease on the way', async () => {
  await using scene = await openLifecycleScene()
  for (let n = 0; n <= failuresMax; n++) await scene.put(`k${String(n).padStart(4, '0')}`, `bytes ${n}`)
  await scene.setRules({ expiration: { kind: 'days', days: 1 } })
  await scene.clock.advance(dayMs)
  await expect(scene.run({ versions: failing(scene, () => true) })).rejects.toThrow('a keeper refuses')
  expect(scene.actionCounts.total.marked).toBe(0)
  let isLost = false
  const lost = new Error('lease lost')
  const versions = failing(scene, (key) => {
    isLost = true
    return key === 'k0000'
  })
  await expect(scene.run({ versions, holdLease: async () => (isLost ? Promise.reject(lost) : undefined) })).rejects.toBe(lost)
  expect((await scene.keys()).filter((key) => key.endsWith('*'))).toEqual([])
  const most = failing(scene, (key) => key !== 'k0050')
  expect(await scene.run({ versions: most })).toEqual({ kind: 'done' })
  expect((await scene.keys()).filter((key) => key.endsWith('*'))).toEqual(['k0050*'])
})

test('a long run pauses behind a key, so that other buckets have their turn, and continues there', async () => {
  await using scene = await openLifecycleScene()
  for (const key of ['a', 'b']) for (let n = 0; n < pageSize * 2; n++) await scene.put(key, `bytes ${n}`)
  await scene.setRules({ noncurrent: { days: 2, newerKept: 100 } })
  await scene.clock.advance(dayMs)
  const { versions } = scene
  const places: (readonly [string | undefined, boolean])[] = []
  const list: Versions['list'] = async (request) => {
    places.push([request.keyMarker, request.versionIdMarker !== undefined])
    await scene.clock.advance(turnMs)
    return await versions.list(request)
  }
  const outcomes: string[] = []
  for (let turn = 0; turn < 9 && outcomes.at(-1) !== 'done'; turn++) {
    const { kind } = await scene.run({ versions: { ...versions, list } })
    outcomes.push(kind)
  }
  // Nothing of `a` is walked again, because a turn may pause only behind it.
  expect(places.filter(([key, isWithin]) => key === undefined && !isWithin)).toHaveLength(1)
  expect(outcomes.length).toBeGreaterThan(2)
  expect(outcomes.at(-1)).toBe('done')
})

const createUpload = ({ uploads }: LifecycleScene, key: string) =>
  uploads.create({ bucket: 'photos', key, headers, checksumAlgorithm: null, checksumType: null, initiator: null })

test('uploads are aborted in turns too, and one that cannot be aborted keeps no other open', async () => {
  await using scene = await openLifecycleScene()
  for (let n = 0; n < pageSize * 2 + 50; n++) await createUpload(scene, `k${n % 9}`)
  const stuck = await createUpload(scene, 'k0')
  await scene.setRules({ abortDays: 2 })
  await scene.clock.advance(dayMs)
  const young = await createUpload(scene, 'k4')
  await scene.clock.advance(dayMs)
  const { uploads } = scene
  const changes = {
    uploads: {
      ...uploads,
      async list(request: Parameters<typeof uploads.list>[0]) {
        await scene.clock.advance(turnMs)
        return await uploads.list(request)
      },
      async abort(place: Parameters<typeof uploads.abort>[0]) {
        if (place.uploadId === stuck.id) throw new Error('a file cannot be removed')
        await uploads.abort(place)
      },
    },
  }
  const outcomes: string[] = []
  for (let turn = 0; turn < 9 && outcomes.at(-1) !== 'done'; turn++) outcomes.push((await scene.run(changes)).kind)
  expect(outcomes.length).toBeGreaterThan(2)
  expect(outcomes.at(-1)).toBe('done')
  const left = (await uploads.list({ bucket: 'photos', limit: 1000 })).uploads.map(({ id }) => id)
  expect(left).toEqual([stuck.id, young.id])
  expect(scene.actionCounts.total.aborted).toBe(pageSize * 2 + 50)
})
