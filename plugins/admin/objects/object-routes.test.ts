import { expect, test } from 'vitest'
import { promised } from '#kernel/testing'
import { type ObjectVersion, objects } from '#plugins/storage'
import { type TestAdmin, testAdmin } from '../testing/test-admin.ts'
import { listObjects, objectProvenance, objectStatusDetail } from './object-api.ts'

const path = '/api/v1/buckets/photos/objects'

async function withObjects(keys: readonly string[]): Promise<TestAdmin & { readonly versions: Map<string, ObjectVersion> }> {
  const admin = await testAdmin()
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  const versions = new Map<string, ObjectVersion>()
  for (const key of keys) {
    const body = (async function* () {
      // Equal bytes would be one content, with one place.
      yield Buffer.alloc(200, key)
    })()
    const headers = { contentType: 'image/png', system: {}, user: {} }
    versions.set(key, await admin.kernel.get(objects).put({ bucket: 'photos', key, body, headers }))
  }
  return { ...admin, versions }
}

test('objects are listed by folder, page after page, without a gap', async () => {
  await using admin = await withObjects(['a.png', 'b/1.png', 'b/2.png', 'c.png', 'd/e/1.png', 'ü.png'])
  const seen: string[] = []
  let after = ''
  for (let pages = 0; pages < 10; pages++) {
    const answer = promised(
      listObjects,
      await admin.call('GET', `${path}?delimiter=/&limit=2${after && `&after=${encodeURIComponent(after)}`}`),
    )
    seen.push(...answer.folders.map(({ name, prefix }) => `${name}:${prefix}`), ...answer.objects.map(({ key }) => key))
    if (!answer.has_more) {
      expect(answer).not.toHaveProperty('next_marker')
      break
    }
    after = answer.next_marker ?? ''
  }
  expect(seen.sort()).toEqual(['a.png', 'b:b/', 'c.png', 'd:d/', 'ü.png'])
})

test('an object is shown with its size, state and location', async () => {
  await using admin = await withObjects(['a.png', 'b.png'])
  admin.storage.place(admin.versions.get('b.png')?.versionId ?? '', {
    state: 'stored',
    isCached: false,
    pieceCid: 'bafk',
    copies: [committed(0)],
  })
  const { objects } = promised(listObjects, await admin.call('GET', path))
  expect(objects[0]).toMatchObject({
    key: 'a.png',
    current_version_id: admin.versions.get('a.png')?.versionId,
    size: 200,
    state: 'cached',
    status: 'uploading',
    location: { cache: true, chain: false },
    content_type: 'image/png',
    etag: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  expect(objects[1]).toMatchObject({ state: 'stored', status: 'success', location: { cache: false, chain: true }, piece_cid: 'bafk' })
})

test('the folder placeholder is not listed inside its folder', async () => {
  await using admin = await withObjects(['b/', 'b/1.png'])
  const answer = promised(listObjects, await admin.call('GET', `${path}?prefix=b/&delimiter=/`))
  expect(answer.objects.map(({ key }) => key)).toEqual(['b/1.png'])
  expect(promised(listObjects, await admin.call('GET', `${path}?prefix=b/&delimiter=/&limit=1`)).objects).toHaveLength(1)
  expect(promised(listObjects, await admin.call('GET', `${path}?prefix=b/&delimiter=/&after=a`)).objects).toHaveLength(1)
  expect(promised(listObjects, await admin.call('GET', `${path}?prefix=b/`)).objects).toHaveLength(2)
  expect(promised(listObjects, await admin.call('GET', `${path}?prefix=b/1.png&delimiter=/`)).objects).toHaveLength(1)
})

test.each(['0', '-1', '1001', 'x', '1.5', ''])('a limit of "%s" counts as the default page size', async (limit) => {
  await using admin = await withObjects(['a', 'b'])
  expect((await admin.call('GET', `${path}?limit=${limit}`)).body.objects).toHaveLength(2)
})

test('only "/" divides folders, and a repeated parameter is refused', async () => {
  await using admin = await withObjects([])
  for (const query of ['delimiter=-', 'prefix=a&prefix=b']) {
    expect(await admin.call('GET', `${path}?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  }
})

const versionBody = { key: 'a', version_id: 'a\0', expected_current_version_id: 'a' }

test.each([
  ['GET', '?prefix=%00'],
  ['GET', '?after=a%00'],
  ['GET', '/provenance?version_id=a%00'],
  ['GET', '/status-detail?version_id=a%00'],
  ['GET', '/download?key=a%00'],
  ['GET', '/download?key=a&version_id=a%00'],
  ['GET', '/versions?key=a%00'],
  ['GET', '/versions?key=a&version_marker=a%00'],
  ['GET', '/deleted?prefix=a%00'],
  ['GET', '/deleted?after=a%00'],
  ['GET', '/deletions?prefix=a%00'],
  ['GET', '/deletions?key=a%00'],
  ['GET', '/deletions?after=a%00'],
  ['GET', '/../storage-health/affected-versions?prefix=a%00'],
  ['GET', '/../storage-health/affected-versions?key=a%00'],
  ['GET', '/../storage-health/affected-versions?key_marker=a%00'],
  ['GET', '/../storage-health/affected-versions?version_marker=a%00'],
  ['POST', '/versions/restore', versionBody],
  ['POST', '/versions/restore', { ...versionBody, version_id: 'a', expected_current_version_id: 'a\0' }],
  ['POST', '/restore', { key: 'a', delete_marker_version_id: 'a\0' }],
  ['POST', '/permanent-delete', { key: 'a', version_id: 'a\0' }],
  ['POST', '/deleted/permanent-delete', { key: 'a', delete_marker_version_id: 'a\0' }],
] as const)('NUL is refused in %s %s', async (method, place, body?: object) => {
  await using admin = await withObjects([])
  const { pathname, search } = new URL(`http://localhost${path}${place}`)
  expect(await admin.call(method, `${pathname}${search}`, body)).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', error: expect.stringContaining('without the NUL character') },
  })
})

const committed = (copyIndex: number) => ({
  copyIndex,
  status: 'committed' as const,
  providerId: '7',
  dataSetId: '41',
  pieceId: '3',
  transferMethod: 'ingress' as const,
  retrievalUrl: 'https://p7.example/piece/bafk',
  isNewDataSet: true,
  lastError: null,
  waitReason: null,
})

test('provenance and status show the locations of a version and why replication is incomplete', async () => {
  await using admin = await withObjects(['a.png'])
  const id = admin.versions.get('a.png')?.versionId ?? ''
  const failing = { ...committed(1), status: 'failed' as const, pieceId: null, retrievalUrl: null, lastError: 'the provider refused' }
  admin.storage.place(id, {
    state: 'replicating',
    pieceCid: 'bafk',
    requestedCopies: 2,
    copies: [committed(0), failing],
    message: 'the provider refused',
    updatedAtMs: 5000,
    upload: { attempt: 2, sentBytes: 50, totalBytes: 200, updatedAtMs: 4000 },
  })
  const provenance = promised(objectProvenance, await admin.call('GET', `${path}/provenance?version_id=${id}`))
  expect(provenance).toMatchObject({
    version_id: id,
    state: 'replicating',
    status: 'syncing',
    progress: { attempt: 2, uploaded_bytes: 50, total_bytes: 200, percent: 25, done: false, updated_at: '1970-01-01T00:00:04Z' },
    requested_copies: 2,
    success_copies: 1,
    copy_health: { status: 'degraded', readable_copies: 1, failed_copies: 1 },
    updated_at: '1970-01-01T00:00:05Z',
  })
  expect(provenance.copies[0]).toMatchObject({ health: { status: 'available' }, provider_id: '7', piece_id: '3' })
  expect(provenance.copies[1]).toMatchObject({ health: { last_error: 'the provider refused' } })
  expect(provenance.copies[1]).not.toHaveProperty('piece_id')
  const [listed] = promised(listObjects, await admin.call('GET', path)).objects
  expect(listed?.progress).toEqual(provenance.progress)
  const detail = promised(objectStatusDetail, await admin.call('GET', `${path}/status-detail?version_id=${id}`))
  expect(detail).toMatchObject({ version_id: id, state: 'replicating', message: 'the provider refused' })
})

test.each(['provenance', 'status-detail'])('%s refuses an unknown bucket or version', async (name) => {
  await using admin = await withObjects([])
  expect(await admin.call('GET', `${path}/${name}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  expect(await admin.call('GET', `${path}/${name}?version_id=none`)).toMatchObject({ status: 404, body: { code: 'version_not_found' } })
  const elsewhere = `/api/v1/buckets/other/objects/${name}?version_id=none`
  expect(await admin.call('GET', elsewhere)).toMatchObject({ status: 404, body: { code: 'bucket_not_found' } })
})
