/** The listing of objects over HTTP. */
import { beforeAll, describe, expect, test } from 'vitest'
import { listObjects } from '../../plugins/admin/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData } from '../fixtures/admin-data.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'

let svc: Gateway
let data: AdminData
let bucket: string
/** Sorted by their UTF-8 bytes. */
const keys = ['!', '%41', 'A', 'a', 'a/', 'a/1', 'a/2', 'a/b/1', 'a/b/2', 'a0', 'b', 'b//', 'ü', '\uffef', '😀']

beforeAll(async () => {
  svc = await sharedServe()
  data = createAdminData(svc)
  bucket = await data.makeBucket()
  const bytes = Buffer.alloc(200, 'o')
  for (const key of keys) await data.upload(bucket, key, bytes)
  await data.upload(bucket, 'deleted', bytes)
  await data.remove(bucket, 'deleted')
  await data.remove(bucket, 'never was')
})

const pathOf = (query: Readonly<Record<string, string>>, of = bucket) => `/api/v1/buckets/${of}/objects?${new URLSearchParams(query)}`
const list = async (query: Readonly<Record<string, string>> = {}) => answerOf(listObjects, await svc.call('GET', pathOf(query)))

/** All entries of all pages: folder prefixes and keys. */
async function walk(query: Readonly<Record<string, string>>, limit: number): Promise<readonly string[]> {
  const seen: string[] = []
  let after = ''
  for (;;) {
    const page = await list({ ...query, limit: String(limit), after })
    const shown = [...page.folders.map(({ prefix }) => prefix), ...page.objects.map(({ key }) => key)]
    expect(shown.length).toBeLessThanOrEqual(limit)
    seen.push(...shown)
    expect(page.has_more).toBe(page.next_marker !== undefined)
    if (page.next_marker === undefined) return seen
    expect(shown).toHaveLength(limit)
    after = page.next_marker
  }
}

test('an object is shown with its version, size, state and location', async () => {
  const shown = await data.makeBucket()
  const { key, versionId, bytes } = await data.upload(shown, 'shown', Buffer.alloc(1234, 's'))
  const reply = await svc.call('GET', pathOf({}, shown))
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  expect(answerOf(listObjects, reply)).toMatchObject({
    folders: [],
    objects: [
      {
        id: expect.any(Number),
        key,
        current_version_id: versionId,
        size: bytes.length,
        state: expect.stringMatching(/^(cached|uploading|committing|replicating|stored)$/),
        status: expect.stringMatching(/^(uploading|syncing|success)$/),
        location: { cache: true, chain: expect.any(Boolean) },
        content_type: 'text/plain',
        etag: expect.stringMatching(/^[0-9a-f]{32}$/),
        created_at: at,
        updated_at: at,
      },
    ],
    has_more: false,
  })
})

test('all keys are listed in the order of their bytes, without deleted ones', async () => {
  const { objects, folders, has_more } = await list()
  expect([objects.map(({ key }) => key), folders, has_more]).toEqual([keys, [], false])
})

test.each([1, 2, 3, 7])('pages of %i have every object once', async (limit) => {
  expect(await walk({}, limit)).toEqual(keys)
})

describe('with a delimiter', () => {
  test('folders represent the keys in them', async () => {
    const { folders, objects } = await list({ delimiter: '/' })
    expect(folders).toEqual([
      { name: 'a', prefix: 'a/' },
      { name: 'b', prefix: 'b/' },
    ])
    expect(objects.map(({ key }) => key)).toEqual(keys.filter((key) => !key.includes('/')))
  })

  test('a folder has its own objects and folders, without its placeholder', async () => {
    const { folders, objects } = await list({ delimiter: '/', prefix: 'a/' })
    expect(folders).toEqual([{ name: 'b', prefix: 'a/b/' }])
    expect(objects.map(({ key }) => key)).toEqual(['a/1', 'a/2'])
  })

  test('a folder may have an empty name', async () => {
    const { folders, objects } = await list({ delimiter: '/', prefix: 'b/' })
    expect([folders, objects]).toEqual([[{ name: '', prefix: 'b//' }], []])
  })

  test('a prefix that ends inside a name matches every name that begins with it', async () => {
    const { folders, objects } = await list({ delimiter: '/', prefix: 'a' })
    expect([folders.map(({ prefix }) => prefix), objects.map(({ key }) => key)]).toEqual([['a/'], ['a', 'a0']])
  })

  test.each([1, 2, 3])('pages of %i have every folder and object once', async (limit) => {
    const whole = await list({ delimiter: '/' })
    const all = [...whole.folders.map(({ prefix }) => prefix), ...whole.objects.map(({ key }) => key)]
    expect((await walk({ delimiter: '/' }, limit)).toSorted()).toEqual(all.toSorted())
    expect((await walk({ delimiter: '/', prefix: 'a/' }, limit)).toSorted()).toEqual(['a/1', 'a/2', 'a/b/'])
  })

  test('an empty delimiter counts as absent', async () => {
    expect((await list({ delimiter: '' })).objects).toHaveLength(keys.length)
  })

  test.each(['-', '//', 'a', '%'])('%j is refused with 400', async (delimiter) => {
    expect(refusalOf(await svc.call('GET', pathOf({ delimiter })))).toEqual([400, 'invalid_request'])
  })
})

test('a prefix filters keys, also with characters that are special in SQL or URLs', async () => {
  const chosen = async (prefix: string) => (await list({ prefix })).objects.map(({ key }) => key)
  expect(await chosen('a/b')).toEqual(['a/b/1', 'a/b/2'])
  expect(await chosen('%')).toEqual(['%41'])
  expect(await chosen('😀')).toEqual(['😀'])
  expect(await chosen('_')).toEqual([])
  expect(await chosen("a'; drop table buckets --")).toEqual([])
})

test('`after` need not be an existing key', async () => {
  expect((await list({ after: 'a/zzz' })).objects.map(({ key }) => key)).toEqual(keys.slice(keys.indexOf('a0')))
  expect((await list({ after: '\u{10ffff}' })).objects).toEqual([])
})

test.each(['0', '-1', '1001', '1.5', 'ten', '', '99999999999999999999', '1e9'])('a limit of "%s" counts as 50', async (limit) => {
  expect((await list({ limit })).objects).toHaveLength(keys.length)
})

test('without a limit a page has 50 objects, with the largest 1000', async () => {
  const many = await data.makeBucket()
  const bytes = Buffer.alloc(200, 'm')
  const names = Array.from({ length: 60 }, (_, at) => `key-${100 + at}`)
  await Promise.all(names.map((name) => data.upload(many, name, bytes)))
  const read = async (query: Readonly<Record<string, string>>) => answerOf(listObjects, await svc.call('GET', pathOf(query, many)))
  const first = await read({})
  expect([first.objects.length, first.has_more, first.next_marker]).toEqual([50, true, 'key-149'])
  expect((await read({ after: 'key-149' })).objects).toHaveLength(10)
  for (const limit of ['0', '1001', 'many']) expect((await read({ limit })).objects).toHaveLength(50)
  expect((await read({ limit: '1000' })).objects).toHaveLength(60)
})

test.each(['prefix=a&prefix=b', 'limit=1&limit=2', 'prefix=%ff', 'after=%', 'prefix=%ED%A0%80', 'delimiter=/&delimiter=/'])(
  'the query %s is refused with 400',
  async (query) => {
    expect(refusalOf(await svc.call('GET', `/api/v1/buckets/${bucket}/objects?${query}`))).toEqual([400, 'invalid_request'])
  },
)

test('unknown parameters are ignored', async () => {
  expect((await list({ page: '2', order: 'desc' })).objects).toHaveLength(keys.length)
})

test('a missing bucket is 404, an invalid name 400', async () => {
  expect(refusalOf(await svc.call('GET', pathOf({}, 'nowhere')))).toEqual([404, 'bucket_not_found'])
  expect(refusalOf(await svc.call('GET', pathOf({}, 'No_Bucket')))).toEqual([400, 'invalid_bucket_name'])
})
