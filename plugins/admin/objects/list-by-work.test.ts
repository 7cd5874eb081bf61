import { expect, test } from 'vitest'
import { database } from '#kernel'
import { promised, runSql } from '#kernel/testing'
import { objects } from '#plugins/storage'
import { testAdmin } from '../testing/test-admin.ts'
import { listObjects } from './object-api.ts'

/** Keys that one request reads. */
const keysPerRequest = 5000
const path = '/api/v1/buckets/photos/objects'

async function openBucket() {
  const admin = await testAdmin()
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  const put = async (key: string) => {
    const body = (async function* () {
      yield Buffer.alloc(200, key)
    })()
    return admin.kernel.get(objects).put({ bucket: 'photos', key, body, headers: { contentType: 'image/png', system: {}, user: {} } })
  }
  const list = async (query: string) => promised(listObjects, await admin.call('GET', `${path}?${query}`))
  return { ...admin, put, list }
}

test('objects of a state are listed from all folders below the prefix, page after page', async () => {
  await using admin = await openBucket()
  const works = {
    'a.png': 'complete',
    'b/1.png': 'stuck',
    'b/c/2.png': 'stuck',
    'b/c/3.png': 'waiting',
    'b/c/4.png': 'stuck',
    c: 'working',
  } as const
  for (const [key, work] of Object.entries(works)) admin.storage.works.set((await admin.put(key)).versionId, work)
  const keys = async (query: string) => (await admin.list(query)).objects.map(({ key }) => key)
  expect(await keys('work=complete')).toEqual(['a.png'])
  expect(await keys('work=working')).toEqual(['c'])
  expect(await keys('work=waiting&prefix=b/')).toEqual(['b/c/3.png'])
  expect(await keys('work=waiting&prefix=a')).toEqual([])
  const first = await admin.list('work=stuck&prefix=b/&limit=2')
  expect(first).toMatchObject({ folders: [], has_more: true, next_marker: 'b/c/2.png' })
  expect(first.objects.map(({ key, copies, content_type }) => [key, copies?.work, content_type])).toEqual([
    ['b/1.png', 'stuck', 'image/png'],
    ['b/c/2.png', 'stuck', 'image/png'],
  ])
  const second = await admin.list(`work=stuck&prefix=b/&limit=2&after=${first.next_marker}`)
  expect([second.objects.map(({ key }) => key), second.has_more, second]).toEqual([
    ['b/c/4.png'],
    false,
    expect.not.objectContaining({ next_marker: expect.anything() }),
  ])
})

test('a state is one of four, and a list by state has no folders', async () => {
  await using admin = await openBucket()
  for (const query of ['work=failed', 'work=', 'work=stuck&delimiter=/', 'work=stuck&work=waiting']) {
    expect(await admin.call('GET', `${path}?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  }
})

test('one request reads a bounded number of keys, says so, and the next ones find what is behind them', async () => {
  await using admin = await openBucket()
  // Keys with the same bytes, between the first and the last object.
  admin.storage.works.set((await admin.put('a')).versionId, 'complete')
  admin.storage.works.set((await admin.put('z')).versionId, 'stuck')
  await admin.kernel.get(database).write((tx) =>
    runSql(
      tx,
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${keysPerRequest + 700})
       insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified)
       select h.bucket_id, 'm' || substr('00000' || i, -5), 'v' || i, -1, h.content_id, 200, 'e', 0 from n, object_heads h where h.key = 'a'`,
    ),
  )
  const first = await admin.list('work=stuck')
  expect(first).toEqual({ folders: [], objects: [], has_more: true, keys_read: keysPerRequest, next_marker: `m0${keysPerRequest - 1}` })
  const second = await admin.list(`work=stuck&after=${first.next_marker}`)
  expect(second).toMatchObject({ objects: [{ key: 'z' }], has_more: false })
  expect(second).not.toHaveProperty('keys_read')
  const complete = await admin.list('work=complete&limit=1000')
  expect(complete).toMatchObject({ has_more: true, next_marker: 'm00999' })
  expect(complete.objects.map(({ key }) => key).slice(0, 2)).toEqual(['a', 'm00001'])
})

test('a page that the last key fills has no next one', async () => {
  await using admin = await openBucket()
  for (const key of ['a', 'b']) admin.storage.works.set((await admin.put(key)).versionId, 'stuck')
  expect(await admin.list('work=stuck&limit=2')).toMatchObject({ has_more: false })
  expect(await admin.list('work=stuck&limit=1')).toMatchObject({ has_more: true, next_marker: 'a' })
})
