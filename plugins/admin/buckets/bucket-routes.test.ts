import { expect, test, vi } from 'vitest'
import { clock, defineErrors, definePlugin, events, provide } from '#kernel'
import { promised } from '#kernel/testing'
import { placements } from '#plugins/replication'
import { type S3Users, s3Users } from '#plugins/s3'
import { buckets as bucketCatalog, objects } from '#plugins/storage'
import { bucketDetailParts, defineBucketDetailPart, defineVersionHealthPart, versionHealthParts } from '../contract.ts'
import { dataSet } from '../testing/data-set.ts'
import { testAdmin } from '../testing/test-admin.ts'
import { changeOwner, createBucket, listBuckets, showBucket } from './bucket-api.ts'

const users: Pick<S3Users, 'find'> = {
  find: (accessKey) => (accessKey === 'alice' ? { accessKey, ownerId: 'id', role: 'user', createdAtMs: 0 } : undefined),
}
const s3 = definePlugin({ id: 's3', provides: [provide(s3Users, {}, () => users as S3Users)] })
const root = '__internal_root__'

test('a bucket is created, listed and shown', async () => {
  await using admin = await testAdmin({ plugins: [s3] })
  const created = promised(
    createBucket,
    await admin.call('POST', '/api/v1/buckets', {
      name: 'photos',
      owner_access_key: 'alice',
      default_copies: 4,
      minimum_durable_copies: 2,
    }),
  )
  expect(created).toEqual({
    id: 1,
    name: 'photos',
    owner_access_key: 'alice',
    default_copies: 4,
    minimum_durable_copies: 2,
    status: 'active',
  })
  await admin.call('POST', '/api/v1/buckets', { name: 'backups', owner_access_key: root, default_copies: null })
  const list = promised(listBuckets, await admin.call('GET', '/api/v1/buckets'))
  expect(list.map(({ name, owner_access_key, default_copies }) => [name, owner_access_key, default_copies])).toEqual([
    ['backups', root, 3],
    ['photos', 'alice', 4],
  ])
  expect(list[1]).toMatchObject({ object_count: 0, total_size_bytes: 0, created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) })
  const detail = promised(showBucket, await admin.call('GET', '/api/v1/buckets/photos'))
  expect(detail).toMatchObject({ ...created, versioning_status: 'Enabled', versioning_enforced: true, data_sets: [], replacements: [] })
})

test('the data sets of a bucket say which of them can be replaced', async () => {
  await using admin = await testAdmin()
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: root })
  const record = { referencedVersions: 3, currentVersions: 2, updatedAtMs: 1000 }
  admin.storage.addDataSet(dataSet({ ...record, isCurrent: false, status: 'draining' }))
  admin.storage.addDataSet(dataSet({ ...record, id: 2, generation: 2, dataSetId: null, status: 'creating' }))
  const { data_sets } = promised(showBucket, await admin.call('GET', '/api/v1/buckets/photos'))
  expect(data_sets.map(({ id, replaceable, data_set_id }) => [id, replaceable, data_set_id])).toEqual([
    [1, false, '41'],
    [2, true, undefined],
  ])
  expect(data_sets[0]).toMatchObject({
    bucket_name: 'photos',
    provider_identity: { registry_provider_id: '7', service_url: 'https://p7.example' },
    updated_at: '1970-01-01T00:00:01Z',
    referenced_version_count: 3,
    current_version_count: 2,
    storage_health: { status: 'degraded', reason_codes: ['local_status_not_ready'], stale: false },
  })
})

test('an owner with a NUL character is refused', async () => {
  await using admin = await testAdmin()
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: root })
  const refused = { status: 400, body: { code: 'invalid_request', fields: [{ field: 'owner_access_key' }] } }
  expect(await admin.call('POST', '/api/v1/buckets', { name: 'backups', owner_access_key: 'a\0' })).toMatchObject(refused)
  expect(await admin.call('PUT', '/api/v1/buckets/photos/owner', { owner_access_key: 'a\0' })).toMatchObject(refused)
})

test('list and detail show the storage health of a bucket', async () => {
  await using admin = await testAdmin()
  for (const name of ['empty', 'photos']) await admin.call('POST', '/api/v1/buckets', { name, owner_access_key: root })
  admin.storage.addDataSet(dataSet({ bucketId: 2, referencedVersions: 300, currentVersions: 2 }))
  const health = {
    status: 'unknown',
    reason_codes: ['copy_observation_missing'],
    stale: false,
    abnormal_data_sets: 1,
    affected_versions_capped: 200,
    affected_versions_cap: 200,
    affected_versions_exceeds_cap: true,
  }
  const list = promised(listBuckets, await admin.call('GET', '/api/v1/buckets'))
  expect(list.map(({ storage_health }) => storage_health)).toMatchObject([{ status: 'available', affected_versions_capped: 0 }, health])
  expect(promised(showBucket, await admin.call('GET', '/api/v1/buckets/photos')).storage_health).toEqual(health)
})

test('plugins add replacements and members to the details of a bucket, and a failing one removes nothing', async () => {
  const replacements = Array.from({ length: 30 }, (_, id) => ({ id, created_at: `2026-01-01T00:00:${String(id).padStart(2, '0')}Z` }))
  const older = replacements.map(({ id }) => ({ id: id + 100, created_at: '2025-01-01T00:00:00Z' }))
  const parts = [
    defineBucketDetailPart({ name: 'older', uses: {}, describe: () => ({ replacements: older, members: { held: true, name: 'other' } }) }),
    defineBucketDetailPart({
      name: 'newer',
      uses: { clock },
      describe: async ({ clock }, { name, dataSets }) => ({
        replacements,
        notReplaceable: dataSets.flatMap(({ id }) => (id === 1 ? id : [])),
        members: { seen: [name, clock.now() > 0] },
      }),
    }),
    defineBucketDetailPart({ name: 'not JSON', uses: {}, describe: () => ({ members: { count: 1n } }) }),
    defineBucketDetailPart({ name: 'no time', uses: {}, describe: () => ({ replacements: [{ id: 1, created_at: 'soon' }] }) }),
    defineBucketDetailPart({ name: 'nothing', uses: {}, describe: () => undefined as never }),
    defineBucketDetailPart({
      name: 'broken',
      uses: {},
      describe: () => {
        throw new Error('no answer')
      },
    }),
  ]
  await using admin = await testAdmin({ plugins: [definePlugin({ id: 'more', contributes: [bucketDetailParts.with(...parts)] })] })
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: root })
  admin.storage.addDataSet(dataSet())
  admin.storage.addDataSet(dataSet({ id: 2, copyIndex: 1 }))
  const answer = await admin.call('GET', '/api/v1/buckets/photos')
  const { held, seen, ...standard } = answer.body
  expect([held, seen]).toEqual([true, ['photos', true]])
  const detail = promised(showBucket, { ...answer, body: standard })
  expect(detail.name).toBe('photos')
  expect(detail.data_sets.map(({ id, replaceable }) => [id, replaceable])).toEqual([
    [1, false],
    [2, true],
  ])
  expect(detail.replacements.length).toBe(50)
  expect(detail.replacements.slice(0, 2)).toEqual(replacements.slice(-2).reverse())
  expect(detail.replacements.slice(29, 31)).toEqual([replacements[0], older.at(-1)])
})

test('list and detail show observed health, regions of providers, and that an observation is missing', async () => {
  let isBroken = false
  const watcher = defineVersionHealthPart({
    name: 'watcher',
    uses: {},
    observe(_services, dataSets) {
      if (isBroken) return new Map([[1, { status: 'fine' as 'available', reasonCodes: [] }]])
      return new Map(dataSets.map(({ id }) => [id, { status: 'available', reasonCodes: [], checkedAtMs: 1000 }]))
    },
  })
  await using admin = await testAdmin({ plugins: [definePlugin({ id: 'watcher', contributes: [versionHealthParts.with(watcher)] })] })
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: root })
  admin.storage.addDataSet(dataSet())
  admin.storage.facts.set('7', { region: 'eu' })
  const read = async () => ({
    list: promised(listBuckets, await admin.call('GET', '/api/v1/buckets')),
    detail: promised(showBucket, await admin.call('GET', '/api/v1/buckets/photos')),
  })
  const healthy = await read()
  const nothing = { status: 'available', abnormal_data_sets: 0, affected_versions_capped: 0 }
  expect([healthy.list[0]?.storage_health, healthy.detail.storage_health]).toMatchObject([nothing, nothing])
  expect(healthy.detail.data_sets[0]).toMatchObject({
    provider_identity: { registry_provider_id: '7', service_url: 'https://p7.example', location: 'eu' },
    storage_health: { status: 'available', reason_codes: [], last_checked_at: '1970-01-01T00:00:01Z' },
  })
  isBroken = true
  const { list, detail } = await read()
  const unknown = {
    status: 'unknown',
    last_error: 'some observations could not be read',
    abnormal_data_sets: 1,
    affected_versions_capped: 1,
  }
  expect([list[0]?.storage_health, detail.storage_health]).toMatchObject([unknown, unknown])
})

test('a long list of buckets leaves turns of the event loop to other requests', async () => {
  await using admin = await testAdmin()
  for (let at = 1; at <= 41; at++) await admin.call('POST', '/api/v1/buckets', { name: `bucket-${at}`, owner_access_key: root })
  const perTurn: number[] = []
  let isNewTurn = true
  admin.kernel.get(placements).countVersionsOn = async () => {
    if (isNewTurn) perTurn.push(0)
    if (isNewTurn) setImmediate(() => (isNewTurn = true))
    isNewTurn = false
    perTurn.push((perTurn.pop() ?? 0) + 1)
    return 0
  }
  expect((await admin.call('GET', '/api/v1/buckets')).body).toHaveLength(41)
  expect(perTurn).toEqual([20, 20, 1])
})

test.each([
  ['a missing name', { owner_access_key: root }, 400, 'invalid_request'],
  ['a missing owner', { name: 'photos' }, 400, 'invalid_request'],
  ['an empty owner', { name: 'photos', owner_access_key: '' }, 400, 'invalid_request'],
  ['a name with capitals', { name: 'Photos', owner_access_key: root }, 400, 'invalid_bucket_name'],
  ['too many copies', { name: 'photos', owner_access_key: root, default_copies: 9 }, 400, 'invalid_request'],
  ['no copies', { name: 'photos', owner_access_key: root, default_copies: 0 }, 400, 'invalid_request'],
  ['a fraction of a copy', { name: 'photos', owner_access_key: root, minimum_durable_copies: 1.5 }, 400, 'invalid_request'],
  [
    'a minimum above the target',
    { name: 'photos', owner_access_key: root, default_copies: 1, minimum_durable_copies: 2 },
    400,
    'copy_policy_minimum_exceeds_target',
  ],
  ['an unknown owner', { name: 'photos', owner_access_key: 'bob' }, 400, 'owner_unknown'],
  ['an unknown member', { name: 'photos', owner_access_key: root, region: 'x' }, 400, 'invalid_request'],
  ['a name that is taken', { name: 'taken', owner_access_key: root }, 409, 'bucket_exists'],
])('a bucket with %s is refused', async (_name, body, status, code) => {
  await using admin = await testAdmin({ plugins: [s3] })
  await admin.call('POST', '/api/v1/buckets', { name: 'taken', owner_access_key: root })
  expect(await admin.call('POST', '/api/v1/buckets', body)).toMatchObject({ status, body: { code, error: expect.any(String) } })
  expect((await admin.call('GET', '/api/v1/buckets')).body).toHaveLength(1)
})

test('an owner that is deleted during the request is refused as unknown', async () => {
  const deleted = defineErrors({ s3_user_not_found: { status: 404, message: 'There is no such user.' } })
  await using admin = await testAdmin({ plugins: [s3] })
  const buckets = admin.kernel.get(bucketCatalog)
  buckets.create = async () => {
    throw deleted.s3_user_not_found()
  }
  const refused = await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: 'alice' })
  expect(refused).toMatchObject({ status: 400, body: { code: 'owner_unknown' } })
})

test('without S3 users only the internal account can own a bucket', async () => {
  await using admin = await testAdmin()
  const refused = await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: 'alice' })
  expect(refused).toMatchObject({ status: 409, body: { code: 's3_users_unavailable' } })
})

test('a change of the owner is announced as an event', async () => {
  await using admin = await testAdmin({ plugins: [s3] })
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: root })
  const told: unknown[] = []
  admin.kernel.get(events).subscribe((event) => told.push(event))
  const put = (name: string, body: unknown) => admin.call('PUT', `/api/v1/buckets/${name}/owner`, body)
  const changed = promised(changeOwner, await put('photos', { owner_access_key: 'alice' }))
  expect(changed).toMatchObject({ name: 'photos', owner_access_key: 'alice', default_copies: 3 })
  expect(promised(changeOwner, await put('photos', { owner_access_key: root })).owner_access_key).toBe(root)
  expect(await put('photos', { owner_access_key: 'bob' })).toMatchObject({ status: 404, body: { code: 's3_user_not_found' } })
  expect(await put('nothing', { owner_access_key: root })).toMatchObject({ status: 404, body: { code: 'bucket_not_found' } })
  expect(await put('photos', {})).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  expect(told).toEqual(Array(2).fill({ topic: 'bucket_updated', payload: { bucket_name: 'photos' } }))
})

test.each(['photos', 'nothing-here', 'Not_A_Bucket'])('deleting any bucket answers 501: %s', async (name) => {
  await using admin = await testAdmin()
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: root })
  const refused = await admin.call('DELETE', `/api/v1/buckets/${name}`)
  expect(refused).toMatchObject({ status: 501, body: { code: 'bucket_deletion_unsupported' } })
  expect((await admin.call('GET', '/api/v1/buckets')).body).toHaveLength(1)
})

test.each([
  ['nothing-here', 404, 'bucket_not_found'],
  ['Not_A_Bucket', 400, 'invalid_bucket_name'],
  ['ab', 400, 'invalid_bucket_name'],
])('the bucket %s is refused', async (name, status, code) => {
  await using admin = await testAdmin()
  expect(await admin.call('GET', `/api/v1/buckets/${name}`)).toMatchObject({ status, body: { code } })
})

test('a list reads usage and data sets of a hundred buckets at once, and gives each bucket its own', async () => {
  await using admin = await testAdmin()
  const { kernel, storage } = admin
  const catalog = kernel.get(bucketCatalog)
  const names = Array.from({ length: 101 }, (_, n) => `bucket-${String(n).padStart(3, '0')}`)
  for (const name of names) await catalog.create({ name, ownerAccessKey: null })
  const body = (async function* () {
    yield Buffer.alloc(200)
  })()
  await kernel.get(objects).put({ bucket: 'bucket-001', key: 'k', body, headers: { contentType: 'text/plain', system: {}, user: {} } })
  storage.addDataSet(dataSet({ bucketId: catalog.find('bucket-100')?.id ?? 0, status: 'unavailable' }))
  const usages = vi.spyOn(catalog, 'usages')
  const dataSetsOf = vi.spyOn(kernel.get(placements), 'dataSetsOf')
  const list = promised(listBuckets, await admin.call('GET', '/api/v1/buckets'))
  expect(list.map(({ name }) => name)).toEqual(names)
  expect(list.flatMap(({ name, total_size_bytes: bytes }) => (bytes > 0 ? [[name, bytes]] : []))).toEqual([['bucket-001', 200]])
  expect(list.flatMap(({ name, storage_health: health }) => (health.abnormal_data_sets > 0 ? [name] : []))).toEqual(['bucket-100'])
  expect([usages, dataSetsOf].map(({ mock }) => mock.calls.length)).toEqual([2, 2])
})
