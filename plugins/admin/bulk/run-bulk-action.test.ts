import { expect, test } from 'vitest'
import { clock, database } from '#kernel'
import { promised, type TestKernel, testKernel } from '#kernel/testing'
import { buckets, type ObjectVersion, objects, versions } from '#plugins/storage'
import { storagePlugin } from '../../storage/plugin.ts'
import { chunksOf, plainHeaders } from '../../storage/testing/object-storage.ts'
import { createVaultPlugin } from '../../storage/testing/vault-plugin.ts'
import { adminPlugin } from '../plugin.ts'
import type { BulkTarget } from './bulk-action-store.ts'
import { showBulkAction, startBulkAction } from './bulk-api.ts'
import { requestBulkAction } from './request-bulk-action.ts'
import { type BulkDeps, runBulkAction } from './run-bulk-action.ts'

const bucket = '/api/v1/buckets/photos'
const { signal } = new AbortController()
const vault = createVaultPlugin('vault', 1)

async function start(): Promise<TestKernel> {
  const svc = await testKernel({ plugins: [storagePlugin, vault.plugin, adminPlugin] })
  await svc.kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
  return svc
}

const put = (svc: TestKernel, key: string, text = `the bytes of ${key}, long enough for the smallest object`): Promise<ObjectVersion> => {
  const body = Buffer.from(text.padEnd(200))
  return svc.kernel.get(objects).put({ bucket: 'photos', key, body: chunksOf(body), size: body.length, headers: plainHeaders })
}
async function putAll(svc: TestKernel, keys: readonly string[]): Promise<void> {
  for (const key of keys) await put(svc, key)
}
async function trash(svc: TestKernel, keys: readonly string[]): Promise<void> {
  await putAll(svc, keys)
  for (const key of keys) await svc.kernel.get(objects).delete('photos', key)
}
const names = (count: number, prefix = 'k/') => Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(4, '0')}`)

const current = async (svc: TestKernel) =>
  (await svc.kernel.get(objects).listKeys({ bucket: 'photos', limit: 1000 })).entries.map(({ key }) => key)
const deleted = async (svc: TestKernel) =>
  (await svc.kernel.get(versions).deletedObjects({ bucket: 'photos', limit: 1000 })).objects.map(({ key }) => key)

const body = (action: string, targets: readonly BulkTarget[], more: object = {}) => ({
  action,
  targets,
  client_request_id: `${action} ${JSON.stringify(targets)}`.slice(0, 128),
  ...(action.startsWith('delete') ? { confirm: 'photos' } : {}),
  ...more,
})

/** Requests the action, and waits for its end. */
async function perform(svc: TestKernel, action: string, targets: readonly BulkTarget[]) {
  const { id } = promised(startBulkAction, await svc.call('POST', `${bucket}/bulk-actions`, body(action, targets)))
  const show = async () => promised(showBulkAction, await svc.call('GET', `/api/v1/bulk-actions/${id}`))
  await expect.poll(async () => (await show()).status).not.toBe('running')
  return show()
}

test('all objects with a prefix move to the trash over several pages, and no other object', async () => {
  await using svc = await start()
  await putAll(svc, [...names(120), 'kept', 'k'])
  expect(await perform(svc, 'move_to_trash', [{ prefix: 'k/' }])).toMatchObject({ status: 'completed', total: 120, done: 120, skipped: 0 })
  expect(await current(svc)).toEqual(['k', 'kept'])
  expect(await deleted(svc)).toEqual(names(120))
})

test('named objects and prefixes are restored together; the others stay in the trash', async () => {
  await using svc = await start()
  await trash(svc, [...names(3), 'a', 'ab', 'z'])
  const done = await perform(svc, 'restore', [{ key: 'a' }, { key: 'absent' }, { prefix: 'k/' }, { key: 'z' }])
  expect(done).toMatchObject({ status: 'completed', total: 5, done: 5, skipped: 0 })
  expect([await current(svc), await deleted(svc)]).toEqual([['a', ...names(3), 'z'], ['ab']])
})

test('the trash is emptied: what was deleted later and what is current stays', async () => {
  await using svc = await start()
  await trash(svc, names(102))
  await put(svc, 'live')
  expect(await perform(svc, 'delete_permanently', [{ prefix: '' }])).toMatchObject({ status: 'completed', total: 102, done: 102 })
  expect([await current(svc), await deleted(svc)]).toEqual([['live'], []])
  const history = await svc.kernel.get(versions).ofKey({ bucket: 'photos', key: 'k/0000', limit: 10 })
  expect(history.versions).toEqual([])
})

const depsOf = ({ kernel }: TestKernel, more: Partial<BulkDeps> = {}): BulkDeps => ({
  clock: kernel.get(clock),
  database: kernel.get(database),
  buckets: kernel.get(buckets),
  objects: kernel.get(objects),
  versions: kernel.get(versions),
  progressed: () => {},
  ...more,
})
const noQueue = { add: async () => 0 }

/** Records an action whose task the test runs. */
const record = (svc: TestKernel, action: 'move_to_trash' | 'delete_permanently' | 'delete_bucket', prefix = '') =>
  requestBulkAction(
    { ...depsOf(svc), queue: noQueue },
    { bucket: svc.kernel.get(buckets).require('photos'), clientRequestId: action, action, targets: [{ prefix }], total: 0 },
  )
const shown = async (svc: TestKernel, id: number) => promised(showBulkAction, await svc.call('GET', `/api/v1/bulk-actions/${id}`))

/** Ends in a later millisecond than the request. */
const later = async (svc: TestKernel) => {
  const now = svc.kernel.get(clock).now()
  await expect.poll(() => svc.kernel.get(clock).now()).toBeGreaterThan(now)
}

test('what changed after the request is skipped: newer uploads are not deleted, newer trash is not purged', async () => {
  await using svc = await start()
  await putAll(svc, ['old', 'new'])
  const move = await record(svc, 'move_to_trash')
  await later(svc)
  await put(svc, 'new', 'uploaded after the request')
  expect(await runBulkAction(depsOf(svc), move.id, signal)).toEqual({ kind: 'done' })
  expect(await shown(svc, move.id)).toMatchObject({ status: 'completed', done: 1, skipped: 1 })
  expect(await current(svc)).toEqual(['new'])
  const purge = await record(svc, 'delete_permanently')
  await later(svc)
  await svc.kernel.get(objects).delete('photos', 'new')
  await runBulkAction(depsOf(svc), purge.id, signal)
  expect([await shown(svc, purge.id), await deleted(svc)]).toMatchObject([{ done: 1, skipped: 1 }, ['new']])
})

test('a run that is killed between two pages continues after the last one, and each object is changed once', async () => {
  await using svc = await start()
  await putAll(svc, names(120))
  const { id } = await record(svc, 'move_to_trash')
  let pages = 0
  const own = svc.kernel.get(versions)
  const killing = {
    ...own,
    async deleteMany(request: Parameters<typeof own.deleteMany>[0]) {
      const outcomes = await own.deleteMany(request)
      // Its effect is committed, its record is not.
      if (++pages === 2) throw new Error('killed')
      return outcomes
    },
  }
  await expect(runBulkAction(depsOf(svc, { versions: killing }), id, signal)).rejects.toThrow('killed')
  expect(await shown(svc, id)).toMatchObject({ status: 'running', done: 100 })
  await runBulkAction(depsOf(svc), id, signal)
  expect(await shown(svc, id)).toMatchObject({ status: 'completed' })
  expect(await current(svc)).toEqual([])
  const history = await own.ofKey({ bucket: 'photos', key: 'k/0110', limit: 10 })
  expect(history.versions.map(({ isDeleteMarker }) => isDeleteMarker)).toEqual([true, false])
})

test('objects whose copies are being made are not deleted: the action waits, and deletes them when it can', async () => {
  await using svc = await start()
  await trash(svc, ['a', 'b'])
  svc.kernel.get(vault.vault).isLocked = true
  const { id } = await record(svc, 'delete_permanently')
  expect(await runBulkAction(depsOf(svc), id, signal)).toMatchObject({ kind: 'wait', reason: 'storage_busy' })
  expect([await deleted(svc), (await shown(svc, id)).status]).toEqual([['a', 'b'], 'running'])
  svc.kernel.get(vault.vault).isLocked = false
  await runBulkAction(depsOf(svc), id, signal)
  expect([await deleted(svc), await shown(svc, id)]).toMatchObject([[], { status: 'completed', done: 2, busy: 0 }])
})

test('a stopped action changes nothing more', async () => {
  await using svc = await start()
  await putAll(svc, ['a'])
  const { id } = await record(svc, 'move_to_trash')
  expect((await svc.call('POST', `/api/v1/bulk-actions/${id}/stop`)).body).toMatchObject({ status: 'stopped' })
  expect(await runBulkAction(depsOf(svc), id, signal)).toEqual({ kind: 'done' })
  expect(await current(svc)).toEqual(['a'])
})

test('a bucket is deleted with its objects, versions and trash; its action stays to be read', async () => {
  await using svc = await start()
  await trash(svc, ['gone'])
  await putAll(svc, [...names(210), 'k/0001'])
  const preview = await svc.call('POST', `${bucket}/bulk-actions/preview`, { action: 'delete_bucket', targets: [{ prefix: '' }] })
  expect(preview.body).toEqual({ objects: 210, versions: 212, bytes: String(212 * 200), open_uploads: 0, open_uploads_exceed: false })
  expect(await perform(svc, 'delete_bucket', [{ prefix: '' }])).toMatchObject({ status: 'completed', total: 212, bucket: 'photos' })
  expect((await svc.call('GET', bucket)).status).toBe(404)
})

test('the deletion of a bucket ends without deleting what was written after the request', async () => {
  await using svc = await start()
  await put(svc, 'old')
  const { id } = await record(svc, 'delete_bucket')
  await later(svc)
  await put(svc, 'late')
  await runBulkAction(depsOf(svc), id, signal)
  expect([await shown(svc, id), await current(svc)]).toMatchObject([{ status: 'incomplete', problem: expect.any(String) }, ['late', 'old']])
})

test('a new bucket of the same name is not touched by the action of the old one', async () => {
  await using svc = await start()
  const { id } = await record(svc, 'delete_bucket')
  await svc.kernel.get(buckets).delete('photos')
  await svc.kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
  await runBulkAction(depsOf(svc), id, signal)
  expect([(await shown(svc, id)).status, (await svc.call('GET', bucket)).status]).toEqual(['completed', 200])
})

test('permanent deletions need the name of the bucket, and a repeated request is the same action', async () => {
  await using svc = await start()
  await trash(svc, ['a'])
  const bad = async (targets: readonly object[]) =>
    (await svc.call('POST', `${bucket}/bulk-actions`, body('restore', targets as never))).status
  expect([
    await bad([]),
    await bad([{ key: 'a\0' }]),
    await bad([{ key: 'ü'.repeat(513) }]),
    await bad(Array(501).fill({ key: 'a' })),
  ]).toEqual([400, 400, 400, 400])
  const post = (more: object) => svc.call('POST', `${bucket}/bulk-actions`, body('delete_permanently', [{ prefix: '' }], more))
  expect(await post({ confirm: 'photo' })).toMatchObject({ status: 400, body: { code: 'bulk_action_unconfirmed' } })
  expect(await deleted(svc)).toEqual(['a'])
  const first = await post({})
  const again = await post({})
  expect([first.status, again.status, again.body.id]).toEqual([202, 202, first.body.id])
  const other = await svc.call('POST', `${bucket}/bulk-actions`, {
    ...body('restore', [{ prefix: '' }]),
    client_request_id: first.body.client_request_id,
  })
  expect(other).toMatchObject({ status: 409, body: { code: 'bulk_action_idempotency_conflict' } })
})

test('a bucket has one action at a time', async () => {
  await using svc = await start()
  await record(svc, 'move_to_trash')
  const second = await svc.call('POST', `${bucket}/bulk-actions`, body('restore', [{ prefix: '' }]))
  expect(second).toMatchObject({ status: 409, body: { code: 'bulk_action_unfinished' } })
})

test('the preview counts the versions of deleted objects, and keys at the edge of a prefix', async () => {
  await using svc = await start()
  await put(svc, 'p/a')
  await trash(svc, ['p/a', 'p/\u{10ffff}', 'p0', 'p'])
  const preview = async (action: string, targets: readonly BulkTarget[]) =>
    (await svc.call('POST', `${bucket}/bulk-actions/preview`, { action, targets })).body
  expect(await preview('delete_permanently', [{ prefix: 'p/' }])).toMatchObject({ objects: 2, versions: 3 })
  expect(await preview('delete_permanently', [{ key: 'p' }])).toMatchObject({ objects: 1, versions: 1 })
  expect(await preview('move_to_trash', [{ prefix: '' }])).toMatchObject({ objects: 0, versions: 0, bytes: '0' })
})
