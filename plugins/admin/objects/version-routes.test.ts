import { expect, test } from 'vitest'
import { defineErrors, definePlugin, type Plugin } from '#kernel'
import { promised } from '#kernel/testing'
import type { CopyRecord } from '#plugins/replication'
import type { ObjectVersion } from '#plugins/storage'
import { defineVersionHealthPart, versionHealthParts } from '../contract.ts'
import { dataSet } from '../testing/data-set.ts'
import { type TestAdmin, testAdmin } from '../testing/test-admin.ts'
import {
  deleteObjectPermanently,
  deleteVersionPermanently,
  listAffectedVersions,
  listDeletedObjects,
  listDeletions,
  listObjectVersions,
  restoreObject,
  restoreObjectVersion,
} from './version-api.ts'

const bucket = '/api/v1/buckets/photos'
const objects = `${bucket}/objects`

const errors = defineErrors({
  cache_busy: { status: 503, message: 'Room is being made.' },
  cache_full: { status: 507, message: 'The cache is full.' },
  object_not_found: { status: 404, message: 'There is no such object.' },
  object_storage_busy: { status: 409, message: 'Its copies are being stored.' },
  object_version_already_current: { status: 409, message: 'It is current.' },
  object_version_changed: { status: 409, message: 'It changed.' },
  object_version_is_delete_marker: { status: 409, message: 'It is a marker.' },
  object_version_not_deletable: { status: 409, message: 'It cannot be deleted.' },
  restore_source_unreadable: { status: 500, message: 'It cannot be read.' },
  version_not_found: { status: 404, message: 'There is no such version.' },
})

async function withBucket(plugins: readonly Plugin[] = []): Promise<TestAdmin> {
  const admin = await testAdmin({ plugins })
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  return admin
}

const version = (versionId: string, more: Partial<ObjectVersion> = {}): ObjectVersion => ({
  bucketId: 1,
  key: 'k',
  versionId,
  isDeleteMarker: false,
  isCurrent: false,
  contentId: 7,
  size: 200,
  etag: 'e7a9',
  headers: { contentType: 'image/png', system: {}, user: {}, checksums: {} },
  createdAtMs: 5000,
  ...more,
})

const marker = (versionId: string, more: Partial<ObjectVersion> = {}) =>
  version(versionId, {
    isDeleteMarker: true,
    contentId: null,
    size: 0,
    etag: '',
    headers: { contentType: '', system: {}, user: {}, checksums: {} },
    ...more,
  })

test('the versions of a key are shown newest first, with the token of the current one on every page', async () => {
  await using admin = await withBucket()
  const asked: unknown[] = []
  admin.storage.history.ofKey = async (request) => {
    asked.push(request)
    return { versions: [marker('v3', { isCurrent: true }), version('v2')], currentVersionId: 'v3', isTruncated: true }
  }
  const answer = promised(listObjectVersions, await admin.call('GET', `${objects}/versions?key=a%2Fk&limit=2&version_marker=v4`))
  expect(asked).toEqual([{ bucket: 'photos', key: 'a/k', limit: 2, after: 'v4' }])
  expect(answer).toMatchObject({ has_more: true, current_version_id: 'v3', next_version_marker: 'v2' })
  expect(answer.versions).toMatchObject([
    {
      version_id: 'v3',
      is_delete_marker: true,
      is_current: true,
      size: 0,
      etag: '',
      state: 'cached',
      location: { cache: false, chain: false },
    },
    { version_id: 'v2', is_delete_marker: false, size: 200, content_type: 'image/png', created_at: '1970-01-01T00:00:05Z' },
  ])
  admin.storage.history.ofKey = async () => ({ versions: [], isTruncated: false })
  expect(promised(listObjectVersions, await admin.call('GET', `${objects}/versions?key=none`))).toEqual({ versions: [], has_more: false })
  expect(await admin.call('GET', `${objects}/versions`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
})

test('a version is restored over the current one that the client saw', async () => {
  await using admin = await withBucket()
  admin.storage.history.restore = async (request) => {
    expect(request).toEqual({ bucket: 'photos', key: 'k', versionId: 'v1', expectedCurrentVersionId: 'v3' })
    return version('v4')
  }
  const body = { key: 'k', version_id: 'v1', expected_current_version_id: 'v3' }
  const answer = promised(restoreObjectVersion, await admin.call('POST', `${objects}/versions/restore`, body))
  expect(answer).toEqual({ key: 'k', source_version_id: 'v1', version_id: 'v4' })
})

test.each([
  ['object_version_already_current', 409, 'object_version_already_current'],
  ['object_version_changed', 409, 'object_version_changed'],
  ['object_version_is_delete_marker', 409, 'object_version_is_delete_marker'],
  ['version_not_found', 404, 'version_not_found'],
  ['cache_full', 507, 'cache_full'],
  ['cache_busy', 507, 'cache_full'],
  ['restore_source_unreadable', 500, 'restore_source_unreadable'],
] as const)('a restore that storage refuses as %s answers %i %s', async (code, status, shown) => {
  await using admin = await withBucket()
  admin.storage.history.restore = () => Promise.reject(errors[code]())
  const body = { key: 'k', version_id: 'v1', expected_current_version_id: 'v3' }
  expect(await admin.call('POST', `${objects}/versions/restore`, body)).toMatchObject({ status, body: { code: shown } })
})

test('deleted objects are listed with what a restore brings back, and restored', async () => {
  await using admin = await withBucket()
  admin.storage.history.deletedObjects = async (request) => {
    expect(request).toEqual({ bucket: 'photos', prefix: 'a/', after: 'a/1', limit: 50 })
    const restorable = version('v1', { key: 'a/2' })
    return { objects: [{ key: 'a/2', markerVersionId: 'm1', deletedAtMs: 9000, restorable }], isTruncated: true }
  }
  const listed = promised(listDeletedObjects, await admin.call('GET', `${objects}/deleted?prefix=a/&after=a/1`))
  expect(listed).toEqual({
    objects: [
      {
        key: 'a/2',
        delete_marker_version_id: 'm1',
        deleted_at: '1970-01-01T00:00:09Z',
        restore_version_id: 'v1',
        restore_size: 200,
        restore_content_type: 'image/png',
        restore_etag: 'e7a9',
      },
    ],
    has_more: true,
    next_marker: 'a/2',
  })
  admin.storage.history.restoreDeleted = async (request) => {
    expect(request).toEqual({ bucket: 'photos', key: 'a/2', versionId: 'm1' })
    return version('v1')
  }
  const body = { key: 'a/2', delete_marker_version_id: 'm1' }
  expect(promised(restoreObject, await admin.call('POST', `${objects}/restore`, body))).toEqual({ key: 'a/2', restored_version_id: 'v1' })
  for (const [code, status] of [
    ['object_version_changed', 409],
    ['object_not_found', 404],
  ] as const) {
    admin.storage.history.restoreDeleted = () => Promise.reject(errors[code]())
    expect(await admin.call('POST', `${objects}/restore`, body)).toMatchObject({ status, body: { code } })
  }
})

test('delete markers are listed newest first, of the bucket, a prefix or a key', async () => {
  await using admin = await withBucket()
  const asked: unknown[] = []
  admin.storage.history.deleteMarkers = async (request) => {
    asked.push(request)
    return { markers: [marker('m2', { isCurrent: true }), marker('m1')], isTruncated: true }
  }
  const answer = promised(listDeletions, await admin.call('GET', `${objects}/deletions?key=k&after=m3&limit=2`))
  expect(answer).toEqual({
    deletions: [
      { key: 'k', version_id: 'm2', is_current: true, deleted_at: '1970-01-01T00:00:05Z' },
      { key: 'k', version_id: 'm1', is_current: false, deleted_at: '1970-01-01T00:00:05Z' },
    ],
    has_more: true,
    next_marker: 'm1',
  })
  await admin.call('GET', `${objects}/deletions?prefix=a/`)
  expect(asked).toEqual([
    { bucket: 'photos', key: 'k', after: 'm3', limit: 2 },
    { bucket: 'photos', prefix: 'a/', limit: 50 },
  ])
})

test('a version and a deleted object are deleted permanently, and the answers name the cleanup tasks', async () => {
  await using admin = await withBucket()
  admin.storage.history.deletePermanently = async (request) => {
    expect(request).toEqual({ bucket: 'photos', key: 'k', versionId: 'v1' })
    return { cacheRelease: 'released', cleanupTaskIds: [4, 5] }
  }
  const body = { key: 'k', version_id: 'v1' }
  const answer = promised(deleteVersionPermanently, await admin.call('POST', `${objects}/permanent-delete`, body))
  expect(answer).toEqual({ key: 'k', version_id: 'v1', cache_release: 'released', storage_cleanup_task_id: 4 })
  admin.storage.history.deletePermanently = async () => ({ cacheRelease: 'retained', cleanupTaskIds: [] })
  const shared = promised(deleteVersionPermanently, await admin.call('POST', `${objects}/permanent-delete`, body))
  expect(shared).toEqual({ key: 'k', version_id: 'v1', cache_release: 'retained' })

  admin.storage.history.deleteObjectPermanently = async (request) => {
    expect(request).toEqual({ bucket: 'photos', key: 'k', versionId: 'm1' })
    return { dataVersions: 2, deleteMarkers: 1, failedCacheReleases: 0, cleanupTaskIds: [4, 5] }
  }
  const whole = { key: 'k', delete_marker_version_id: 'm1' }
  expect(promised(deleteObjectPermanently, await admin.call('POST', `${objects}/deleted/permanent-delete`, whole))).toEqual({
    ...whole,
    data_versions_deleted: 2,
    delete_markers_deleted: 1,
    cache_cleanup_failed_count: 0,
    storage_cleanup_task_ids: [4, 5],
  })
})

test.each([
  ['object_storage_busy', 409],
  ['object_version_not_deletable', 409],
  ['version_not_found', 404],
] as const)('a permanent deletion that storage refuses as %s answers %i', async (code, status) => {
  await using admin = await withBucket()
  Object.assign(admin.storage.history, {
    deletePermanently: () => Promise.reject(errors[code]()),
    deleteObjectPermanently: () => Promise.reject(errors[code]()),
  })
  const one = await admin.call('POST', `${objects}/permanent-delete`, { key: 'k', version_id: 'v1' })
  const whole = await admin.call('POST', `${objects}/deleted/permanent-delete`, { key: 'k', delete_marker_version_id: 'm1' })
  for (const answer of [one, whole]) expect(answer).toMatchObject({ status, body: { code } })
})

const writes = [
  ['versions/restore', { key: 'k', version_id: 'v1', expected_current_version_id: 'v3' }],
  ['restore', { key: 'k', delete_marker_version_id: 'm1' }],
  ['permanent-delete', { key: 'k', version_id: 'v1' }],
  ['deleted/permanent-delete', { key: 'k', delete_marker_version_id: 'm1' }],
] as const

test.each(writes)('%s refuses a body of another form and an unknown bucket', async (path, body) => {
  await using admin = await withBucket()
  for (const name of Object.keys(body)) {
    for (const value of [undefined, '', 7]) {
      expect(await admin.call('POST', `${objects}/${path}`, { ...body, [name]: value })).toMatchObject({ status: 400 })
    }
  }
  expect(await admin.call('POST', `${objects}/${path}`, { ...body, more: 1 })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  })
  const elsewhere = await admin.call('POST', `/api/v1/buckets/other/objects/${path}`, body)
  expect(elsewhere).toMatchObject({ status: 404, body: { code: 'bucket_not_found' } })
})

test('versions on data sets without a good report are listed with their risks, page by page', async () => {
  await using admin = await withBucket()
  admin.storage.addDataSet(dataSet({ id: 3 }))
  admin.storage.addDataSet(dataSet({ id: 4, copyIndex: 1, status: 'unavailable', dataSetId: '42' }))
  const asked: unknown[] = []
  const { headers, ...found } = version('v1')
  const dependent = { ...found, contentId: found.contentId ?? 0, contentType: headers.contentType }
  admin.storage.replicas.versionsOn = async (request) => {
    asked.push(request)
    return { versions: [{ ...dependent, dataSetIds: [3, 4], otherReadableCopies: 0 }], isTruncated: true }
  }
  const path = `${bucket}/storage-health/affected-versions`
  const answer = promised(listAffectedVersions, await admin.call('GET', `${path}?prefix=a/&limit=5000`))
  expect(asked).toEqual([{ bucketId: 1, dataSetIds: [3, 4], prefix: 'a/', limit: 1000 }])
  expect(answer).toMatchObject({
    has_more: true,
    next_key_marker: 'k',
    next_version_marker: 'v1',
    next_created_at_marker: '1970-01-01T00:00:05.000Z',
    versions: [{ key: 'k', version_id: 'v1', has_readable_alternative: false, readable_alternative_count: 0 }],
  })
  expect(answer.versions[0]?.risk_data_sets).toMatchObject([
    { local_data_set_id: 3, provider_id: '7', data_set_id: '41', local_status: 'ready', storage_health: { status: 'unknown' } },
    { local_data_set_id: 4, storage_health: { status: 'unavailable', reason_codes: ['local_status_not_ready'] } },
  ])
  const { next_key_marker, next_version_marker, next_created_at_marker = '', stale_before } = answer
  const markers = `key_marker=${next_key_marker}&version_marker=${next_version_marker}&created_at_marker=${next_created_at_marker}`
  const next = promised(
    listAffectedVersions,
    await admin.call('GET', `${path}?${markers}&stale_before=${stale_before}&local_data_set_id=4`),
  )
  expect(asked.at(-1)).toEqual({ bucketId: 1, dataSetIds: [4], after: { key: 'k', versionId: 'v1' }, limit: 50 })
  expect(next.stale_before).toBe(stale_before)
})

test('versions only on data sets that a plugin observes as available are not listed', async () => {
  const watcher = defineVersionHealthPart({
    name: 'watcher',
    uses: {},
    observe: () =>
      new Map([
        [3, { status: 'available', reasonCodes: [] }],
        [4, { status: 'degraded', reasonCodes: ['proof_late'] }],
      ] as const),
  })
  await using admin = await withBucket([definePlugin({ id: 'watcher', contributes: [versionHealthParts.with(watcher)] })])
  admin.storage.addDataSet(dataSet({ id: 3 }))
  admin.storage.addDataSet(dataSet({ id: 4, copyIndex: 1, dataSetId: '42' }))
  const { headers, ...found } = version('v1')
  const dependent = { ...found, contentId: found.contentId ?? 0, contentType: headers.contentType }
  admin.storage.replicas.versionsOn = async ({ dataSetIds }) => ({
    versions: [{ ...dependent, dataSetIds, otherReadableCopies: 1 }],
    isTruncated: false,
  })
  const { versions } = promised(listAffectedVersions, await admin.call('GET', `${bucket}/storage-health/affected-versions`))
  expect(versions[0]?.risk_data_sets).toMatchObject([
    { local_data_set_id: 4, storage_health: { status: 'degraded', reason_codes: ['proof_late'] } },
  ])
  expect(versions[0]?.risk_data_sets).toHaveLength(1)
})

test.each([
  'prefix=a&key=b',
  'local_data_set_id=0',
  'local_data_set_id=x',
  'local_data_set_id=9007199254740993',
  'key_marker=k',
  'key_marker=k&version_marker=v&created_at_marker=2026-01-01T00:00:00Z',
  'key_marker=k&version_marker=v&created_at_marker=yesterday&stale_before=2026-01-01T00:00:00Z',
  'stale_before=soon',
])('affected versions with %s are refused', async (query) => {
  await using admin = await withBucket()
  const answer = await admin.call('GET', `${bucket}/storage-health/affected-versions?${query}`)
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
})

test('a version shows where its bytes are', async () => {
  await using admin = await withBucket()
  const put = await admin.fetch(`${objects}/upload?key=k`, { method: 'POST', body: new Uint8Array(200) })
  const { version_id } = (await put.json()) as { version_id: string }
  const contentId = 1
  admin.storage.place(version_id, { state: 'stored', isCached: false, pieceCid: 'bafk', copies: [committed] })
  admin.storage.history.ofKey = async () => ({
    versions: [version(version_id, { contentId })],
    isTruncated: false,
    currentVersionId: version_id,
  })
  const { versions } = promised(listObjectVersions, await admin.call('GET', `${objects}/versions?key=k`))
  expect(versions[0]).toMatchObject({ state: 'stored', status: 'success', location: { cache: false, chain: true }, piece_cid: 'bafk' })
})

const committed: CopyRecord = {
  copyIndex: 0,
  status: 'committed',
  providerId: '7',
  dataSetId: '41',
  pieceId: '3',
  transferMethod: 'ingress',
  retrievalUrl: null,
  isNewDataSet: true,
  lastError: null,
  waitReason: null,
}
