/** Deleted objects over HTTP: lists, restores and permanent deletions; and the affected versions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  deleteObjectPermanently,
  deleteVersionPermanently,
  listAffectedVersions,
  listDeletedObjects,
  listDeletions,
  restoreObject,
  showBucket,
} from '../../plugins/admin/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData, onceIdle, type Uploaded } from '../fixtures/admin-data.ts'
import { type DevnetGateway, startDevnetGateway } from '../fixtures/gateways/devnet-gateway.ts'
import { holdChain, uploadForFailure } from '../fixtures/stuck-storage.ts'
import { until } from '../fixtures/until.ts'

let svc: DevnetGateway
let data: AdminData
beforeAll(async () => {
  svc = await startDevnetGateway()
  data = createAdminData(svc)
})
afterAll(() => svc?.[Symbol.asyncDispose]())

const at = (bucket: string, rest: string) => `/api/v1/buckets/${bucket}/objects/${rest}`
const post = (bucket: string, rest: string, json: unknown) => svc.call('POST', at(bucket, rest), { json })
const second = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
const markerOf = (key: string, delete_marker_version_id: string) => ({ key, delete_marker_version_id })
const versionOf = (key: string, version_id: string) => ({ key, version_id })

/** Uploaded one after the other, stored in parallel. */
async function storedObjects(bucket: string, keys: readonly string[]): Promise<readonly Uploaded[]> {
  const objects: Uploaded[] = []
  for (const key of keys) objects.push(await data.upload(bucket, key))
  for (const { versionId } of objects) await data.stored(bucket, versionId)
  return objects
}

async function storedObject(bucket: string, key: string): Promise<Uploaded> {
  const object = await data.upload(bucket, key)
  await data.stored(bucket, object.versionId)
  return object
}

async function walk<T>(read: (after: string | undefined) => Promise<{ readonly items: readonly T[]; readonly next: string | undefined }>) {
  const seen: T[] = []
  let after: string | undefined
  do {
    const { items, next } = await read(after)
    seen.push(...items)
    after = next
  } while (after !== undefined)
  return seen
}

describe('deleted objects', () => {
  const list = async (bucket: string, query: Readonly<Record<string, string>> = {}) =>
    answerOf(listDeletedObjects, await svc.call('GET', at(bucket, `deleted?${new URLSearchParams(query)}`)))

  test.concurrent('are keys with a current delete marker and an earlier data version', async () => {
    const bucket = await data.makeBucket()
    await data.upload(bucket, 'a', Buffer.alloc(200, '1'))
    const newest = await data.upload(bucket, 'a', Buffer.alloc(300, '2'))
    await data.remove(bucket, 'a')
    const top = await data.remove(bucket, 'a')
    await data.remove(bucket, 'never was')
    await data.upload(bucket, 'still there')
    expect(await list(bucket)).toEqual({
      objects: [
        {
          key: 'a',
          delete_marker_version_id: top,
          deleted_at: second,
          restore_version_id: newest.versionId,
          restore_size: 300,
          restore_content_type: 'text/plain',
          restore_etag: expect.stringMatching(/^[0-9a-f]{32}$/),
        },
      ],
      has_more: false,
    })
  })

  test.concurrent('are paged in order of key without gap or duplicate, and filtered by prefix', async () => {
    const bucket = await data.makeBucket()
    const keys = ['a', 'a/1', 'a/2', 'b', 'ü']
    for (const key of keys) {
      await data.upload(bucket, key)
      await data.remove(bucket, key)
    }
    for (const limit of ['1', '2', '5']) {
      const seen = await walk(async (after) => {
        const { objects, next_marker, has_more } = await list(bucket, { limit, ...(after === undefined ? {} : { after }) })
        expect(has_more).toBe(next_marker !== undefined)
        return { items: objects.map(({ key }) => key), next: next_marker }
      })
      expect(seen).toEqual(keys)
    }
    expect((await list(bucket, { prefix: 'a/' })).objects.map(({ key }) => key)).toEqual(['a/1', 'a/2'])
    for (const limit of ['0', '1001', 'x']) expect((await list(bucket, { limit })).objects).toHaveLength(5)
  })
})

describe('delete markers', () => {
  const list = async (bucket: string, query: Readonly<Record<string, string>> = {}) =>
    answerOf(listDeletions, await svc.call('GET', at(bucket, `deletions?${new URLSearchParams(query)}`)))

  test.concurrent('are listed newest first, also those of keys without data and those under newer versions', async () => {
    const bucket = await data.makeBucket()
    const old = await data.remove(bucket, 'a')
    await data.upload(bucket, 'a')
    const other = await data.remove(bucket, 'b')
    const top = await data.remove(bucket, 'b')
    const marker = (key: string, version_id: string, is_current: boolean) => ({ key, version_id, is_current, deleted_at: second })
    expect(await list(bucket)).toEqual({
      deletions: [marker('b', top, true), marker('b', other, false), marker('a', old, false)],
      has_more: false,
    })
    expect((await list(bucket, { key: 'a' })).deletions).toEqual([marker('a', old, false)])
    expect((await list(bucket, { prefix: 'b' })).deletions).toHaveLength(2)
    expect((await list(bucket, { key: 'c' })).deletions).toEqual([])
  })

  test.concurrent('are paged without gap or duplicate', async () => {
    const bucket = await data.makeBucket()
    const made: string[] = []
    for (const key of ['a', 'b', 'a', 'c', 'b']) made.push(await data.remove(bucket, key))
    for (const limit of ['1', '2', '3']) {
      const seen = await walk(async (after) => {
        const { deletions, next_marker } = await list(bucket, { limit, ...(after === undefined ? {} : { after }) })
        return { items: deletions.map(({ version_id }) => version_id), next: next_marker }
      })
      expect(seen).toEqual(made.toReversed())
    }
  })
})

describe('restoring a deleted object', () => {
  test.concurrent('removes its delete markers and copies nothing', async () => {
    const bucket = await data.makeBucket()
    const { versionId, bytes } = await data.upload(bucket, 'a')
    await data.remove(bucket, 'a')
    const top = await data.remove(bucket, 'a')
    const reply = await post(bucket, 'restore', markerOf('a', top))
    expect(answerOf(restoreObject, reply)).toEqual({ key: 'a', restored_version_id: versionId })
    expect((await svc.call('GET', at(bucket, 'download?key=a'))).bytes.equals(bytes)).toBe(true)
    expect((await data.history(bucket, 'a')).versions.map(({ version_id }) => version_id)).toEqual([versionId])
  })

  test.concurrent('with a marker that is no longer current is refused with 409', async () => {
    const bucket = await data.makeBucket()
    await data.upload(bucket, 'a')
    const covered = await data.remove(bucket, 'a')
    await data.remove(bucket, 'a')
    expect(refusalOf(await post(bucket, 'restore', markerOf('a', covered)))).toEqual([409, 'object_version_changed'])
    const { versionId } = await data.upload(bucket, 'a')
    expect(refusalOf(await post(bucket, 'restore', markerOf('a', versionId)))).toEqual([409, 'object_version_changed'])
  })

  test.concurrent('without an earlier data version, or of a missing key, is 404', async () => {
    const bucket = await data.makeBucket()
    const marker = await data.remove(bucket, 'never was')
    expect(refusalOf(await post(bucket, 'restore', markerOf('never was', marker)))).toEqual([404, 'object_not_found'])
    await data.upload(bucket, 'a')
    await data.remove(bucket, 'a')
    expect(refusalOf(await post(bucket, 'restore', markerOf('a', 'none')))).toEqual([404, 'version_not_found'])
    expect(refusalOf(await post('nowhere', 'restore', markerOf('a', marker)))).toEqual([404, 'bucket_not_found'])
  })
})

describe('deleting a version permanently', () => {
  const remove = (bucket: string, json: unknown) => post(bucket, 'permanent-delete', json)

  test.concurrent('removes it, starts the cleanup of its copies, and makes the next newest version current', async () => {
    const bucket = await data.makeBucket({ default_copies: 2 })
    const [old, current] = (await storedObjects(bucket, ['a', 'a'])) as [Uploaded, Uploaded]
    const deleted = answerOf(deleteVersionPermanently, await onceIdle(() => remove(bucket, versionOf('a', current.versionId))))
    expect(deleted).toEqual({
      key: 'a',
      version_id: current.versionId,
      cache_release: 'released',
      storage_cleanup_task_id: expect.any(Number),
    })
    expect((await data.history(bucket, 'a')).current_version_id).toBe(old.versionId)
    expect((await svc.call('GET', at(bucket, 'download?key=a'))).bytes.equals(old.bytes)).toBe(true)
    const { tasks } = (await svc.call('GET', '/api/v1/tasks?type=storage_cleanup')).json
    expect(tasks.map(({ id }: { id: number }) => id)).toContain(deleted.storage_cleanup_task_id)
  })

  test.concurrent('rule 4: keeps the storage that another version shares', async () => {
    const bucket = await data.makeBucket()
    const shared = await storedObject(bucket, 'a')
    const other = await data.upload(bucket, 'b', shared.bytes)
    const deleted = answerOf(deleteVersionPermanently, await onceIdle(() => remove(bucket, versionOf('a', shared.versionId))))
    expect(deleted).toEqual({ key: 'a', version_id: shared.versionId, cache_release: 'retained' })
    expect(await data.provenance(bucket, other.versionId)).toMatchObject({ state: 'stored', success_copies: 1 })
    expect((await svc.call('GET', at(bucket, 'download?key=b'))).bytes.equals(shared.bytes)).toBe(true)
  })

  test.concurrent('rule 1: is refused with 409 while its copies are being stored, and succeeds afterwards', async () => {
    const bucket = await data.makeBucket()
    const { versionId } = await data.upload(bucket, 'a')
    expect(refusalOf(await remove(bucket, versionOf('a', versionId)))).toEqual([409, 'object_storage_busy'])
    expect((await data.history(bucket, 'a')).current_version_id).toBe(versionId)
    await data.stored(bucket, versionId)
    expect((await onceIdle(() => remove(bucket, versionOf('a', versionId)))).status).toBe(200)
  })

  test('rule 1: is refused with 409 while a transaction awaits its confirmation', async () => {
    const bucket = await data.makeBucket()
    await storedObject(bucket, 'first')
    const held = await holdChain(svc)
    const { versionId } = await data.upload(bucket, 'a')
    await until('the transaction is sent', async () => {
      const [copy] = (await data.provenance(bucket, versionId)).copies
      return copy?.status === 'committing' || undefined
    })
    expect(refusalOf(await remove(bucket, versionOf('a', versionId)))).toEqual([409, 'object_storage_busy'])
    await held[Symbol.asyncDispose]()
    await data.stored(bucket, versionId)
    expect((await onceIdle(() => remove(bucket, versionOf('a', versionId)))).status).toBe(200)
  })

  test('rule 1: is not blocked by storage work that stopped before it sent anything', async () => {
    const bucket = await data.makeBucket()
    const { versionId } = await uploadForFailure(svc, data, bucket, 'a')
    const deleted = answerOf(deleteVersionPermanently, await remove(bucket, versionOf('a', versionId)))
    expect(deleted).toMatchObject({ key: 'a', version_id: versionId })
    expect((await data.history(bucket, 'a')).versions).toEqual([])
  })

  test('rule 2: of a delete marker is refused with 409', async () => {
    const bucket = await data.makeBucket()
    await data.upload(bucket, 'a')
    const marker = await data.remove(bucket, 'a')
    expect(refusalOf(await remove(bucket, versionOf('a', marker)))).toEqual([409, 'object_version_not_deletable'])
  })

  test('rule 3: of a version that does not exist or was deleted before is 404', async () => {
    const bucket = await data.makeBucket()
    const { versionId } = await storedObject(bucket, 'a')
    expect(refusalOf(await remove(bucket, versionOf('a', 'none')))).toEqual([404, 'version_not_found'])
    expect(refusalOf(await remove(bucket, versionOf('b', versionId)))).toEqual([404, 'version_not_found'])
    expect(refusalOf(await remove('nowhere', versionOf('a', versionId)))).toEqual([404, 'bucket_not_found'])
    await onceIdle(() => remove(bucket, versionOf('a', versionId)))
    expect(refusalOf(await remove(bucket, versionOf('a', versionId)))).toEqual([404, 'version_not_found'])
  })
})

describe('deleting a deleted object permanently', () => {
  const remove = (bucket: string, json: unknown) => post(bucket, 'deleted/permanent-delete', json)

  test.concurrent('removes every version and delete marker, and starts the cleanup of the copies', async () => {
    const bucket = await data.makeBucket({ default_copies: 2 })
    const first = await data.upload(bucket, 'a')
    await data.remove(bucket, 'a')
    await storedObject(bucket, 'a')
    await data.stored(bucket, first.versionId)
    const marker = await data.remove(bucket, 'a')
    const purged = answerOf(deleteObjectPermanently, await onceIdle(() => remove(bucket, markerOf('a', marker))))
    expect(purged).toEqual({
      key: 'a',
      delete_marker_version_id: marker,
      data_versions_deleted: 2,
      delete_markers_deleted: 2,
      cache_cleanup_failed_count: 0,
      storage_cleanup_task_ids: [expect.any(Number), expect.any(Number)],
    })
    expect(await data.history(bucket, 'a')).toEqual({ versions: [], has_more: false })
  })

  test.concurrent('removes a key that has only delete markers', async () => {
    const bucket = await data.makeBucket()
    const marker = await data.remove(bucket, 'never was')
    const purged = answerOf(deleteObjectPermanently, await remove(bucket, markerOf('never was', marker)))
    expect(purged).toMatchObject({ data_versions_deleted: 0, delete_markers_deleted: 1, storage_cleanup_task_ids: [] })
  })

  test.concurrent('rule 1: is refused with 409 while copies of any version are being stored, and removes nothing', async () => {
    const bucket = await data.makeBucket()
    await data.upload(bucket, 'a')
    const marker = await data.remove(bucket, 'a')
    expect(refusalOf(await remove(bucket, markerOf('a', marker)))).toEqual([409, 'object_storage_busy'])
    expect((await data.history(bucket, 'a')).versions).toHaveLength(2)
  })

  test('rule 2: is refused with 409 when that marker is no longer the current one', async () => {
    const bucket = await data.makeBucket()
    const covered = await data.remove(bucket, 'a')
    await data.remove(bucket, 'a')
    expect(refusalOf(await remove(bucket, markerOf('a', covered)))).toEqual([409, 'object_version_not_deletable'])
    const { versionId } = await data.upload(bucket, 'a')
    for (const version of [covered, versionId]) {
      expect(refusalOf(await remove(bucket, markerOf('a', version)))).toEqual([409, 'object_version_not_deletable'])
    }
  })

  test('rule 3: of a missing key is 404', async () => {
    const bucket = await data.makeBucket()
    const marker = await data.remove(bucket, 'a')
    expect(refusalOf(await remove(bucket, markerOf('never was', marker)))).toEqual([404, 'object_not_found'])
    expect(refusalOf(await remove(bucket, markerOf('a', 'none')))).toEqual([404, 'version_not_found'])
    expect(refusalOf(await remove('nowhere', markerOf('a', marker)))).toEqual([404, 'bucket_not_found'])
  })
})

describe.each([
  ['restore', 'delete_marker_version_id'],
  ['permanent-delete', 'version_id'],
  ['deleted/permanent-delete', 'delete_marker_version_id'],
])('%s', (rest, member) => {
  test.each([
    ['nothing', {}, 'invalid_request'],
    ['no version', { key: 'a' }, 'invalid_request'],
    ['no key', { [member]: 'v' }, 'invalid_request'],
    ['an empty version', { key: 'a', [member]: '' }, 'invalid_request'],
    ['a number for a version', { key: 'a', [member]: 1 }, 'invalid_request'],
    ['null for a key', { key: null, [member]: 'v' }, 'invalid_request'],
    ['an unknown member', { key: 'a', [member]: 'v', force: true }, 'invalid_request'],
    ['a list', [{ key: 'a', [member]: 'v' }], 'invalid_request'],
    ['a NUL in the key', { key: 'a\0', [member]: 'v' }, 'invalid_key'],
    ['a key that is too long', { key: 'k'.repeat(1025), [member]: 'v' }, 'invalid_key'],
    ['more than 4096 bytes', { key: 'a', [member]: 'v'.repeat(4096) }, 'invalid_request'],
  ])('with %s is refused with 400', async (_what, json, code) => {
    expect(refusalOf(await post(await data.makeBucket(), rest, json))).toEqual([400, code])
  })
})

describe.each(['deleted', 'deletions'])('the list of %s', (rest) => {
  test.each(['prefix=a&prefix=b', 'limit=1&limit=2', 'prefix=%ff'])('with the query %s is refused with 400', async (query) => {
    expect(refusalOf(await svc.call('GET', at(await data.makeBucket(), `${rest}?${query}`)))).toEqual([400, 'invalid_request'])
  })

  test('of a missing bucket is 404', async () => {
    expect(refusalOf(await svc.call('GET', at('nowhere', rest)))).toEqual([404, 'bucket_not_found'])
  })
})

describe('affected versions', () => {
  const path = (bucket: string, query: string) => `/api/v1/buckets/${bucket}/storage-health/affected-versions?${query}`
  const list = async (bucket: string, query = '') => answerOf(listAffectedVersions, await svc.call('GET', path(bucket, query)))

  test('are listed with their risks, by key, prefix and data set, and paged without gap or duplicate', async () => {
    const bucket = await data.makeBucket({ default_copies: 2 })
    await storedObjects(bucket, ['a', 'a', 'b/1', 'b/2'])
    const all = await list(bucket)
    expect(all.versions.map(({ key, is_current }) => [key, is_current])).toEqual([
      ['a', true],
      ['a', false],
      ['b/1', true],
      ['b/2', true],
    ])
    const { data_sets } = answerOf(showBucket, await svc.call('GET', `/api/v1/buckets/${bucket}`))
    expect(all.versions[0]).toMatchObject({ state: 'stored', in_cache: true, size: 200, content_type: 'text/plain' })
    expect(all.versions[0]?.risk_data_sets.map(({ local_data_set_id }) => local_data_set_id)).toEqual(data_sets.map(({ id }) => id))
    expect((await list(bucket, 'key=a')).versions).toHaveLength(2)
    expect((await list(bucket, 'prefix=b/')).versions).toHaveLength(2)
    const [one] = data_sets
    const ofOne = await list(bucket, `local_data_set_id=${one?.id}`)
    expect(ofOne.versions[0]).toMatchObject({ readable_alternative_count: 1, has_readable_alternative: true, risk_data_sets: [{}] })
    expect((await list(bucket, 'local_data_set_id=999999')).versions).toEqual([])
    const seen = await walk(async (markers) => {
      const page = await list(bucket, `limit=1${markers ?? ''}`)
      const next = new URLSearchParams({
        key_marker: page.next_key_marker ?? '',
        version_marker: page.next_version_marker ?? '',
        created_at_marker: page.next_created_at_marker ?? '',
        stale_before: page.stale_before,
      })
      return { items: page.versions.map(({ version_id }) => version_id), next: page.has_more ? `&${next}` : undefined }
    })
    expect(seen).toEqual(all.versions.map(({ version_id }) => version_id))
  })

  test('keep the time before which an observation is stale', async () => {
    const bucket = await data.makeBucket()
    expect((await list(bucket, 'stale_before=2026-01-02T03:04:05.678Z')).stale_before).toBe('2026-01-02T03:04:05.678Z')
    expect(Date.parse((await list(bucket)).stale_before)).toBeLessThan(Date.now())
  })

  test.each(['limit=0', 'limit=-1', 'limit=x', 'limit=5000'])('with %s are still listed', async (query) => {
    expect((await list(await data.makeBucket(), query)).versions).toEqual([])
  })

  test.each([
    'prefix=a&key=b',
    'local_data_set_id=0',
    'local_data_set_id=-1',
    'local_data_set_id=1.5',
    'local_data_set_id=x',
    'local_data_set_id=99999999999999999999',
    'key_marker=a',
    'key_marker=a&version_marker=b',
    'key_marker=a&version_marker=b&created_at_marker=2026-01-02T03:04:05Z',
    'version_marker=b&stale_before=2026-01-02T03:04:05Z',
    'stale_before=yesterday',
    'stale_before=2026-01-02',
    'stale_before=2026-13-02T03:04:05Z',
    'key_marker=a&version_marker=b&created_at_marker=x&stale_before=2026-01-02T03:04:05Z',
    'key=a&key=b',
  ])('with the query %s are refused with 400', async (query) => {
    expect(refusalOf(await svc.call('GET', path(await data.makeBucket(), query)))).toEqual([400, 'invalid_request'])
  })

  test('of a missing bucket are 404', async () => {
    expect(refusalOf(await svc.call('GET', path('nowhere', '')))).toEqual([404, 'bucket_not_found'])
  })
})
