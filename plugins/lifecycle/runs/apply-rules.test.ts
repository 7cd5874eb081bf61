import { expect, test } from 'vitest'
import { allRows, getRow, watchProbes } from '#kernel/testing'
import { dayMs, type LifecycleScene, openLifecycleScene } from '../testing/lifecycle-scene.ts'
import { pageSize } from './next-page.ts'

const expireAfter = (days: number) => ({ expiration: { kind: 'days' as const, days } })
const runRow = ({ database }: LifecycleScene) =>
  getRow<{ phase: string; after_key: string }>(database.read, 'select phase, after_key from lifecycle_runs')

test('objects expire with a delete marker, their versions after it, and then the marker', async () => {
  await using scene = await openLifecycleScene()
  await scene.put('a', 'one')
  await scene.put('a', 'two')
  await scene.setRules({ ...expireAfter(2), noncurrent: { days: 3 } })
  const seen: string[][] = []
  const states: unknown[] = [await scene.rules.stateOf(scene.photos())]
  for (let day = 1; day <= 8; day++) {
    await scene.clock.advance(dayMs)
    await scene.run()
    seen.push(await scene.keys())
    states.push(await scene.rules.stateOf(scene.photos()))
  }
  expect(seen).toEqual([['a', 'a'], ['a*', 'a', 'a'], ['a*', 'a'], ['a*', 'a'], ['a*'], [], [], []])
  const second = scene.clock.now() - 6 * dayMs
  const nothing = { markersAdded: 0, versionsDeleted: 0, markersDeleted: 0, uploadsAborted: 0 }
  const runAt = (atMs: number) => ({ dueMs: atMs, startedMs: atMs, endedMs: atMs, ...nothing })
  expect(states.slice(0, 3)).toEqual([{}, { run: runAt(second - dayMs) }, { run: { ...runAt(second), markersAdded: 1 } }])
  // Their bytes went the way of a deletion by a client.
  expect(scene.cache.stats().usedBytes).toBe(0)
  expect(await allRows(scene.database.read, 'select id from contents')).toEqual([])
  expect(scene.actionCounts.total).toEqual({ marked: 1, removed: 2, markersRemoved: 1, aborted: 0 })
  expect(scene.lines[0]).toEqual([
    'lifecycle rules carried out',
    { bucket: 'photos', markersAdded: 1, versionsDeleted: 0, markersDeleted: 0, uploadsAborted: 0 },
  ])
  await scene.expectSound()
})

test('only keys below the prefixes are touched, in many pages, and a run of the same midnight is not repeated', async () => {
  await using scene = await openLifecycleScene()
  const count = pageSize + 30
  for (let n = 0; n < count; n++) await scene.put(`logs/${String(n).padStart(4, '0')}`, `bytes ${n}`)
  for (const key of ['a', 'logs', 'logt/1', 'z/1', 'z/2']) await scene.put(key, key)
  await scene.setRules(
    { ...expireAfter(1), filter: { form: 'filter', prefix: 'z/', tags: [] } },
    { ...expireAfter(1), filter: { form: 'prefix', prefix: 'logs/', tags: [] } },
  )
  await scene.clock.advance(dayMs)
  await scene.run()
  expect(scene.actionCounts.total.marked).toBe(count + 2)
  expect((await scene.objects.list({ bucket: 'photos', limit: 10 })).entries.map(({ key }) => key)).toEqual(['a', 'logs', 'logt/1'])
  await scene.put('z/1', 'later')
  await scene.clock.advance(dayMs - 1)
  await scene.run()
  expect((await scene.objects.find('photos', 'z/1'))?.isDeleteMarker).toBe(false)
  expect(await runRow(scene)).toEqual({ phase: 'ended', after_key: '' })
})

test('a key with more versions than a page keeps the wanted number, and its current one', async () => {
  await using scene = await openLifecycleScene()
  await scene.put('before', 'bytes')
  for (let n = 0; n < pageSize + 50; n++) await scene.put('many', `bytes ${n}`)
  for (let n = 0; n < 3; n++) await scene.put('other', `bytes ${n}`)
  await scene.setRules({ noncurrent: { days: 1, newerKept: 2 } })
  await scene.clock.advance(dayMs)
  await scene.run()
  expect(await scene.keys()).toEqual(['before', 'many', 'many', 'many', 'other', 'other', 'other'])
  expect(await scene.text('many')).toBe(`bytes ${pageSize + 49}`)
  await scene.expectSound()
})

test('a client that deletes versions of a key while its pages are walked makes no newer version disappear', async () => {
  await using scene = await openLifecycleScene()
  // All in one millisecond: only their order tells which is newer.
  for (let n = 0; n < pageSize + 50; n++) await scene.put('many', `bytes ${n}`)
  await scene.setRules({ noncurrent: { days: 1, newerKept: 5 } })
  await scene.clock.advance(dayMs)
  const { versions } = scene
  let pages = 0
  const list: typeof versions.list = async (request) => {
    pages += 1
    const { versionIdMarker } = request
    if (pages === 2 && versionIdMarker !== undefined) await versions.delete({ bucket: 'photos', key: 'many', versionId: versionIdMarker })
    return await versions.list(request)
  }
  await scene.run({ versions: { ...versions, list } })
  expect(pages).toBeGreaterThan(2)
  // The current one, and five noncurrent ones.
  expect(await scene.keys()).toEqual(Array.from({ length: 6 }, () => 'many'))
  expect(await scene.text('many')).toBe(`bytes ${pageSize + 49}`)
  await scene.expectSound()
})

test('a run that was killed after any page continues with the keys behind it, and deletes the same', async () => {
  await using scene = await openLifecycleScene()
  const keys = pageSize / 2
  for (let n = 0; n < 3; n++) {
    for (let key = 0; key < keys; key++) await scene.put(`k${String(key).padStart(4, '0')}`, `bytes ${n} ${key}`)
  }
  await scene.setRules({ noncurrent: { days: 1, newerKept: 1 } })
  await scene.clock.advance(dayMs)
  const places: (string | undefined)[] = []
  for (let killed = true; killed; ) {
    killed = false
    using probes = watchProbes()
    using hold = probes.holdAt('lifecycle.page')
    // Deleted, but not recorded.
    const lost = new Error('killed')
    const write = () => (killed ? Promise.reject(lost) : undefined)
    const database = {
      ...scene.database,
      read: scene.database.read,
      write: (...job: Parameters<typeof scene.database.write>) => write() ?? scene.database.write(...job),
    }
    const run = scene.run({ database: database as typeof scene.database })
    const outcome = run.then(
      () => 'done',
      (error: unknown) => error,
    )
    if ((await Promise.race([hold.reached.then(() => 'held'), outcome])) === 'held') {
      killed = places.length < 2
      hold.release()
      expect(await outcome).toBe(killed ? lost : 'done')
    }
    places.push((await runRow(scene))?.after_key)
  }
  expect(await scene.keys()).toHaveLength(2 * keys)
  expect(await runRow(scene)).toEqual({ phase: 'ended', after_key: '' })
  await scene.expectSound()
})

test('rules that change while a page is looked at delete nothing of it, and act from the next midnight on', async () => {
  await using scene = await openLifecycleScene()
  await scene.put('a', 'bytes')
  await scene.setRules(expireAfter(1))
  await scene.clock.advance(dayMs)
  const { versions } = scene
  const change = async () => {
    await scene.clock.advance(1000)
    await scene.setRules({ ...expireAfter(1), filter: { form: 'filter', prefix: 'other/', tags: [] } })
  }
  const list: typeof versions.list = async (request) => {
    const page = await versions.list(request)
    await change()
    return page
  }
  await scene.run({ versions: { ...versions, list } })
  expect(await scene.keys()).toEqual(['a'])
  expect(scene.lines).toEqual([
    [expect.stringContaining('ended early'), expect.objectContaining({ markersAdded: 0, reason: 'rules_changed' })],
  ])
  await scene.setRules(expireAfter(1))
  await scene.run()
  expect(await scene.keys()).toEqual(['a'])
  await scene.clock.advance(dayMs)
  await scene.run()
  expect(await scene.keys()).toEqual(['a*', 'a'])
})

test('rules that were removed, or whose bucket was deleted, end the run', async () => {
  await using scene = await openLifecycleScene()
  await scene.put('a', 'bytes')
  await scene.setRules(expireAfter(1))
  await scene.clock.advance(dayMs)
  const { versions } = scene
  const list: typeof versions.list = async (request) => {
    const page = await versions.list(request)
    await scene.rules.remove(scene.photos())
    return page
  }
  await scene.run({ versions: { ...versions, list } })
  expect(await scene.keys()).toEqual(['a'])
  const photos = scene.photos()
  await scene.setRules(expireAfter(1))
  await scene.clock.advance(dayMs)
  const gone: typeof versions.list = async () => {
    const { versions: all } = await versions.list({ bucket: 'photos', limit: 10 })
    await versions.deleteMany({ bucket: 'photos', items: all.map(({ key, versionId }) => ({ key, versionId })) })
    await scene.buckets.delete('photos')
    await scene.buckets.create({ name: 'photos', ownerAccessKey: null })
    await scene.put('a', 'bytes of the new bucket')
    return await versions.list({ bucket: photos, limit: 10 })
  }
  await scene.run({ versions: { ...versions, list: gone } })
  expect(await scene.keys()).toEqual(['a'])
})

test('a run that lost its lease deletes nothing, in each transaction of versions and of uploads', async () => {
  await using scene = await openLifecycleScene()
  await scene.put('a', 'bytes')
  const upload = await createUpload(scene, 'a')
  await scene.setRules({ ...expireAfter(1), abortDays: 1 })
  await scene.clock.advance(dayMs)
  const lost = new Error('lease lost')
  await expect(scene.run({ holdLease: () => Promise.reject(lost) })).rejects.toBe(lost)
  expect(await scene.keys()).toEqual(['a'])
  await scene.setRules({ abortDays: 1 })
  await scene.clock.advance(dayMs)
  await expect(scene.run({ holdLease: () => Promise.reject(lost) })).rejects.toBe(lost)
  expect(await scene.uploads.find({ bucket: 'photos', key: 'a', uploadId: upload.id })).toBeDefined()
})

test('what a client changes between the look and the deletion stays', async () => {
  await using scene = await openLifecycleScene()
  const tags = { project: 'old' }
  const headers = { contentType: '', system: {}, user: {}, tags }
  const [replaced, tagged] = [await scene.put('replaced', 'one', { headers }), await scene.put('tagged', 'one', { headers })]
  const first = await scene.put('current-again', 'one', { headers })
  const second = await scene.put('current-again', 'two')
  const marker = await scene.objects.delete('photos', 'alone')
  await scene.setRules(
    { ...expireAfter(1), filter: { form: 'filter', tags: [{ key: 'project', value: 'old' }] } },
    { noncurrent: { days: 1 }, expiration: { kind: 'markers' } },
  )
  await scene.clock.advance(dayMs)
  const { versions } = scene
  const list: typeof versions.list = async (request) => {
    const page = await versions.list(request)
    await scene.put('replaced', 'two')
    await versions.setTags({ bucket: 'photos', key: 'tagged', versionId: tagged.versionId, tags: {} })
    await versions.delete({ bucket: 'photos', key: 'current-again', versionId: second.versionId })
    await scene.put('alone', 'bytes')
    return page
  }
  await scene.run({ versions: { ...versions, list } })
  expect(scene.actionCounts.total).toEqual({ marked: 0, removed: 0, markersRemoved: 0, aborted: 0 })
  const ids = (await versions.list({ bucket: 'photos', limit: 100 })).versions.map(({ versionId }) => versionId)
  expect(ids).toEqual(expect.arrayContaining([replaced.versionId, tagged.versionId, first.versionId, marker.versionId]))
  await scene.expectSound()
})

const createUpload = ({ uploads }: LifecycleScene, key: string) =>
  uploads.create({
    bucket: 'photos',
    key,
    headers: { contentType: '', system: {}, user: {} },
    checksumAlgorithm: null,
    checksumType: null,
    initiator: null,
  })

test('uploads are aborted the days after their creation, also those with new parts, in many pages', async () => {
  await using scene = await openLifecycleScene()
  for (let n = 0; n < pageSize + 20; n++) await createUpload(scene, `logs/${n % 7}`)
  const other = await createUpload(scene, 'other')
  await scene.setRules({ abortDays: 2, filter: { form: 'prefix', prefix: 'logs/', tags: [] } })
  await scene.clock.advance(dayMs)
  const young = await createUpload(scene, 'logs/3')
  await scene.clock.advance(dayMs)
  await scene.run()
  const { uploads } = await scene.uploads.list({ bucket: 'photos', limit: 1000 })
  expect(uploads.map(({ id }) => id)).toEqual([young.id, other.id])
  expect(scene.actionCounts.total.aborted).toBe(pageSize + 20)
})

test('a late run deletes only what had expired at its midnight', async () => {
  await using scene = await openLifecycleScene()
  await scene.put('a', 'bytes')
  await scene.clock.advance(dayMs)
  await scene.put('b', 'bytes')
  await scene.setRules(expireAfter(2))
  await scene.clock.advance(dayMs)
  const dueMs = scene.clock.now()
  // The clock is set ahead, or the task waited for its turn.
  await scene.clock.advance(400 * dayMs)
  const { applyRules } = await import('./apply-rules.ts')
  await applyRules(scene.deps, { bucketId: scene.photos().id, bucket: 'photos', dueMs }, new AbortController().signal)
  expect(await scene.keys()).toEqual(['a*', 'a', 'b'])
})

test('a run of a midnight that is still to come, after the clock was set back, deletes nothing more', async () => {
  await using scene = await openLifecycleScene()
  await scene.put('a', 'bytes')
  await scene.setRules(expireAfter(1))
  const { clock } = scene.deps
  const setBack = { ...clock, now: () => clock.now() - 3 * dayMs }
  await scene.clock.advance(2 * dayMs)
  await scene.run({ clock: setBack })
  expect(await scene.keys()).toEqual(['a'])
  expect(scene.lines).toEqual([[expect.stringContaining('ended early'), expect.objectContaining({ reason: 'clock_set_back' })]])
})
