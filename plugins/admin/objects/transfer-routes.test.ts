import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { basicAuth, promised } from '#kernel/testing'
import { type TestAdmin, testAdmin } from '../testing/test-admin.ts'
import { deleteObject, listObjects, type ObjectPage, uploadObject } from './object-api.ts'

const path = '/api/v1/buckets/photos/objects'

async function withBucket(): Promise<TestAdmin> {
  const admin = await testAdmin()
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  return admin
}

async function upload(admin: TestAdmin, key: string, body: NonNullable<RequestInit['body']>, contentType?: string) {
  const response = await admin.fetch(`${path}/upload?key=${encodeURIComponent(key)}`, {
    method: 'POST',
    body,
    ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
  })
  return { status: response.status, body: await response.json() }
}

const download = (admin: TestAdmin, key: string, query = '') => admin.fetch(`${path}/download?key=${encodeURIComponent(key)}${query}`)

test.each(['image/png', 'application/json', 'multipart/form-data; boundary=x'])(
  'an object uploaded as %s comes back byte for byte under that type',
  async (contentType) => {
    await using admin = await withBucket()
    const bytes = Buffer.alloc(300_000, 'not json {')
    const stored = promised(uploadObject, await upload(admin, 'a/ü.png', bytes, contentType))
    expect(stored).toMatchObject({ key: 'a/ü.png', size: bytes.length, content_type: contentType })
    const response = await download(admin, 'a/ü.png')
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': contentType,
      'content-length': String(bytes.length),
      'content-disposition': 'attachment; filename="_.png"; filename*=UTF-8\'\'%C3%BC.png',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      etag: `"${stored.etag}"`,
    })
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    await expect.poll(() => admin.storage.openCount()).toBe(0)
  },
)

test('a body without a type is an octet stream, and a chunked one has its length counted', async () => {
  await using admin = await withBucket()
  const chunked = new ReadableStream({
    start(controller) {
      for (let i = 0; i < 3; i++) controller.enqueue(new Uint8Array(100))
      controller.close()
    },
  })
  const response = await admin.fetch(`${path}/upload?key=a`, { method: 'POST', body: chunked, duplex: 'half' } as RequestInit)
  expect(await response.json()).toMatchObject({ size: 300, content_type: 'application/octet-stream' })
})

test.each([
  ['too small', 'a', Buffer.alloc(126), 400, 'entity_too_small', /^EntityTooSmall: /],
  ['empty', 'a', '', 400, 'entity_too_small', /^EntityTooSmall: /],
  ['without a key', '', Buffer.alloc(127), 400, 'invalid_request', /key/],
  ['with a key too long', 'k'.repeat(1025), Buffer.alloc(127), 400, 'invalid_key', /key/],
] as const)('an upload that is %s is refused', async (...[, key, body, status, code, error]) => {
  await using admin = await withBucket()
  expect(await upload(admin, key, body)).toMatchObject({ status, body: { code, error: expect.stringMatching(error) } })
})

test('a length above the limit is refused before the body is sent', async () => {
  await using admin = await withBucket()
  const socket = openSocket(admin, `POST ${path}/upload?key=a`, 'Content-Length: 1065353217')
  const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  socket.destroy()
  expect(first.toString()).toMatch(/^HTTP\/1\.1 413 .*"error":"EntityTooLarge: .*entity_too_large/s)
})

test.each(['cache_full', 'cache_busy'] as const)('an upload into a cache that answers %s is refused with 507', async (failure) => {
  await using admin = await withBucket()
  admin.storage.failWith(failure)
  expect(await upload(admin, 'a', Buffer.alloc(200))).toMatchObject({ status: 507, body: { code: 'cache_full' } })
})

test('a delete marker hides the object and keeps its versions', async () => {
  await using admin = await withBucket()
  const { version_id } = promised(uploadObject, await upload(admin, 'a', Buffer.alloc(200)))
  const marker = promised(deleteObject, await admin.call('DELETE', `${path}?key=a`))
  expect(marker).toMatchObject({ key: 'a', deleted_at: expect.stringMatching(/Z$/) })
  const page: ObjectPage = promised(listObjects, await admin.call('GET', path))
  expect(page.objects).toEqual([])
  expect((await download(admin, 'a')).status).toBe(404)
  expect((await download(admin, 'a', `&version_id=${version_id}`)).status).toBe(200)
  const refused = await download(admin, 'a', `&version_id=${marker.delete_marker_version_id}`)
  expect([refused.status, await refused.json()]).toMatchObject([405, { code: 'is_delete_marker' }])
  expect((await admin.call('DELETE', `${path}?key=never-there`)).status).toBe(200)
  expect(await admin.call('DELETE', path)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
})

test('temporarily unavailable bytes answer 503, missing objects 404', async () => {
  await using admin = await withBucket()
  await upload(admin, 'a', Buffer.alloc(200))
  admin.storage.failWith('content_unavailable')
  const refused = await download(admin, 'a')
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'content_unavailable' }])
  expect((await download(admin, 'b')).status).toBe(404)
  expect((await download(admin, 'a', '&version_id=none')).status).toBe(404)
  expect((await admin.fetch('/api/v1/buckets/other/objects/download?key=a')).status).toBe(404)
})

test('an abandoned download is closed', async () => {
  await using admin = await withBucket()
  await upload(admin, 'a', Buffer.alloc(16 * 1024 * 1024))
  const socket = openSocket(admin, `GET ${path}/download?key=a`)
  await new Promise((resolve) => socket.once('data', resolve))
  expect(admin.storage.openCount()).toBe(1)
  socket.destroy()
  await expect.poll(() => admin.storage.openCount()).toBe(0)
})

test('an interrupted upload leaves nothing behind', async () => {
  await using admin = await withBucket()
  const socket = openSocket(admin, `POST ${path}/upload?key=a`, 'Content-Length: 1000')
  socket.write(Buffer.alloc(500))
  await new Promise<void>((resolve) => void socket.end(() => resolve()))
  const page: ObjectPage = promised(listObjects, await admin.call('GET', path))
  expect(page.objects).toEqual([])
})

/** A separate connection, which the test ends. */
function openSocket(admin: TestAdmin, line: string, header = 'Accept: */*') {
  const { hostname, port } = new URL(admin.url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basicAuth('admin', admin.password)}\r\nConnection: close\r\n${header}\r\n\r\n`,
  )
  return socket
}
