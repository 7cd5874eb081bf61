/** Uploads, downloads and delete markers over HTTP. */
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '#kernel/testing'
import { cacheStats, deleteObject, uploadObject } from '../../plugins/admin/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData } from '../fixtures/admin-data.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import type { S3User } from '../fixtures/s3-client.ts'

let svc: Gateway
let data: AdminData
let owner: S3User
let bucket: string
beforeAll(async () => {
  svc = await startServeHere({ settings: { 'cache.max_size_gb': 1 } })
  data = createAdminData(svc)
  owner = await svc.createUser()
  bucket = await data.makeBucket({ default_copies: 1, owner_access_key: owner.access_key })
})
afterAll(() => svc?.[Symbol.asyncDispose]())

const sizeMin = 127
const sizeMax = 1_065_353_216

const objectsPath = (of = bucket) => `/api/v1/buckets/${of}/objects`
const uploadPath = (key: string, of = bucket) => `${objectsPath(of)}/upload?key=${encodeURIComponent(key)}`
const downloadPath = (key: string, version?: string) =>
  `${objectsPath()}/download?key=${encodeURIComponent(key)}${version === undefined ? '' : `&version_id=${version}`}`
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

describe('an upload', () => {
  test.each([
    ['text/plain', 'text'],
    ['application/json', '{"not parsed": '.padEnd(200)],
    ['application/json; charset=utf-8', '[]'.padEnd(200)],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--'],
    ['application/x-www-form-urlencoded', 'a=b&c=d'],
    ['text/html; charset="utf-8"', '<script>alert(1)</script>'],
    ['anything at all', 'bytes'],
    ['image/svg+xml', '<svg/>'],
  ])('of type %s keeps the type and the bytes', async (type, text) => {
    const bytes = Buffer.from(text.padEnd(sizeMin))
    const reply = await svc.call('POST', uploadPath(type), { body: bytes, headers: { 'content-type': type } })
    const uploaded = answerOf(uploadObject, reply)
    expect(uploaded).toEqual({ key: type, version_id: expect.any(String), etag: md5(bytes), size: bytes.length, content_type: type })
    const { headers, bytes: served } = await svc.call('GET', downloadPath(type))
    expect([headers['content-type'], served.equals(bytes)]).toEqual([type, true])
  })

  test.each([
    ['no Content-Type', {}],
    ['an empty Content-Type', { 'content-type': '' }],
  ])('with %s gets the type application/octet-stream', async (_what, headers: Record<string, string>) => {
    const reply = await svc.call('POST', uploadPath('untyped'), { body: randomBytes(200), headers })
    expect(answerOf(uploadObject, reply).content_type).toBe('application/octet-stream')
    expect((await svc.call('GET', downloadPath('untyped'))).headers['content-type']).toBe('application/octet-stream')
  })

  test('in chunks of unknown length is stored', async () => {
    const bytes = randomBytes(300_000)
    const headers = { 'transfer-encoding': 'chunked' }
    expect(answerOf(uploadObject, await svc.call('POST', uploadPath('chunked'), { body: bytes, headers })).size).toBe(300_000)
    expect((await svc.call('GET', downloadPath('chunked'))).bytes.equals(bytes)).toBe(true)
  })

  test('with Expect: 100-continue gets 100 Continue', async () => {
    const bytes = randomBytes(200)
    const { hostname, port } = new URL(svc.adminUrl)
    const headers = { ...svc.headersOf({}), expect: '100-continue', 'content-length': bytes.length }
    const status = await new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method: 'POST', path: uploadPath('expected'), headers, agent: false })
      sent.on('continue', () => sent.end(bytes))
      sent.on('response', (response) => resolve(response.resume().statusCode))
      sent.on('error', reject)
      sent.flushHeaders()
    })
    expect(status).toBe(200)
  })

  test('is readable through S3, and an S3 upload is the current version here', async () => {
    const { versionId, bytes } = await data.upload(bucket, 'for s3')
    const s3 = svc.connect(owner)
    const got = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'for s3' }))
    expect(got).toMatchObject({ VersionId: versionId, ContentType: 'text/plain', ETag: `"${md5(bytes)}"`, ContentLength: bytes.length })
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(bytes)
    s3.destroy()
  })

  test.each([
    'plain',
    'with space and + and %41 and &=?#',
    '../../etc/passwd',
    '/leading//double/',
    'ünïcödé 😀',
    'line\r\nbreak',
    'k'.repeat(1024),
    'ü'.repeat(512),
  ])('with the key %j is found under that key', async (key) => {
    const { versionId, bytes } = await data.upload(bucket, key)
    const served = await svc.call('GET', downloadPath(key))
    expect([served.status, served.bytes.equals(bytes)]).toEqual([200, true])
    expect((await data.history(bucket, key)).current_version_id).toBe(versionId)
  })

  test.each([
    ['no key', 'upload', 'invalid_request'],
    ['an empty key', 'upload?key=', 'invalid_request'],
    ['two keys', 'upload?key=a&key=b', 'invalid_request'],
    ['a NUL in the key', 'upload?key=a%00b', 'invalid_key'],
    ['a key of 1025 bytes', `upload?key=${'k'.repeat(1025)}`, 'invalid_key'],
    ['a key of 513 letters of two bytes', `upload?key=${'%C3%BC'.repeat(513)}`, 'invalid_key'],
    ['a key that is not UTF-8', 'upload?key=a%ffb', 'invalid_request'],
    ['half a surrogate for a key', 'upload?key=%ED%A0%80', 'invalid_request'],
    ['half an escape', 'upload?key=a%4', 'invalid_request'],
  ])('with %s is refused with 400', async (_what, rest, code) => {
    expect(refusalOf(await svc.call('POST', `${objectsPath()}/${rest}`, { body: randomBytes(200) }))).toEqual([400, code])
  })

  test.each([0, 1, sizeMin - 1])('of %i bytes is refused with 400, declared or not', async (size) => {
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const reply = await svc.call('POST', uploadPath('small'), { body: Buffer.alloc(size), headers })
      expect(refusalOf(reply)).toEqual([400, 'entity_too_small'])
    }
    expect((await svc.call('GET', downloadPath('small'))).status).toBe(404)
  })

  test(`of ${sizeMin} bytes is the smallest`, async () => {
    expect((await data.upload(bucket, 'smallest', randomBytes(sizeMin))).bytes).toHaveLength(sizeMin)
  })

  test('that declares too many bytes is refused with 413 before any is sent', async () => {
    const answer = await sendHead(uploadPath('large'), sizeMax + 1)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toContain('"code":"entity_too_large"')
  })

  test.each(['-1', '1e3', '99999999999999999999999', 'many'])('that declares %s bytes is refused with 400', async (length) => {
    expect(await sendHead(uploadPath('odd'), length)).toMatch(/^HTTP\/1\.1 400 .*"code":"invalid_request"/s)
  })

  test('that ends before its declared length stores nothing', async () => {
    const { hostname, port } = new URL(svc.adminUrl)
    const cut = request({
      hostname,
      port,
      method: 'POST',
      path: uploadPath('cut'),
      headers: { ...svc.headersOf({}), 'content-length': 5000 },
    })
    cut.on('error', () => undefined)
    cut.write(randomBytes(1000))
    await expect.poll(reserved).toBe(5000)
    cut.destroy()
    await expect.poll(reserved).toBe(0)
    expect((await svc.call('GET', downloadPath('cut'))).status).toBe(404)
  })

  test('takes room as its bytes arrive: ten senders of nothing leave room for others', async () => {
    const { hostname, port } = new URL(svc.adminUrl)
    const slow = Array.from({ length: 10 }, (_, at) => {
      const headers = { ...svc.headersOf({}), 'content-length': sizeMax }
      const sent = request({ hostname, port, method: 'POST', path: uploadPath(`slow-${at}`), headers, agent: false })
      sent.on('error', () => undefined)
      sent.flushHeaders()
      return sent
    })
    // A quarter of a MiB ahead of the first byte of each.
    await expect.poll(reserved).toBe(10 * (256 * 1024 + 1))
    await data.upload(bucket, 'beside them', randomBytes(1024 * 1024))
    for (const sent of slow) sent.destroy()
    await expect.poll(reserved).toBe(0)
  })

  test('that does not fit into the room of the cache is refused by its headers with 507, and a smaller one is accepted', async () => {
    // The largest object and 8 MiB fill the cache of one gibibyte.
    await data.upload(bucket, 'fills', randomBytes(9 * 1024 * 1024))
    expect(await sendHead(uploadPath('one too many'), sizeMax)).toMatch(/^HTTP\/1\.1 507 .*"code":"cache_full"/s)
    expect(await reserved()).toBe(0)
    await data.upload(bucket, 'smaller', randomBytes(1024 * 1024))
  })

  test('into a missing bucket is 404, into an invalid name 400', async () => {
    const body = randomBytes(200)
    expect(refusalOf(await svc.call('POST', uploadPath('a', 'nowhere'), { body }))).toEqual([404, 'bucket_not_found'])
    expect(refusalOf(await svc.call('POST', uploadPath('a', 'No_Bucket'), { body }))).toEqual([400, 'invalid_bucket_name'])
  })

  test('requires an operator, and in a session its CSRF token', async () => {
    const body = randomBytes(200)
    expect(refusalOf(await svc.call('POST', uploadPath('a'), { body, as: 'anonymous' }))).toEqual([401, 'authentication_required'])
    const session = await svc.signIn()
    const bare = { cookie: session.cookie }
    expect(refusalOf(await svc.call('POST', uploadPath('a'), { body, as: 'anonymous', headers: bare }))).toEqual([403, 'csrf_required'])
    expect((await svc.call('POST', uploadPath('a'), { body, as: session })).status).toBe(200)
  })

  async function reserved(): Promise<number> {
    return answerOf(cacheStats, await svc.call('GET', '/api/v1/cache/stats')).reserved_bytes
  }

  /** The answer to headers alone. */
  function sendHead(path: string, length: number | string): Promise<string> {
    const { authorization } = svc.headersOf({})
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: svc',
      `Authorization: ${authorization}`,
      `Content-Length: ${length}`,
      'Connection: close',
    ]
    return sendRaw(svc.adminUrl, `${lines.join('\r\n')}\r\n\r\n`)
  }
})

describe('a download', () => {
  test('has the bytes with their type, length and digest, as an attachment', async () => {
    const { bytes } = await data.upload(bucket, 'folder/report.txt', randomBytes(5000))
    const { status, headers, bytes: served } = await svc.call('GET', downloadPath('folder/report.txt'))
    expect([status, served.equals(bytes)]).toEqual([200, true])
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5000',
      etag: `"${md5(bytes)}"`,
      'content-disposition': 'attachment; filename="report.txt"',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })

  test.each([
    ['ünïcödé.txt', 'ünïcödé.txt'],
    ['a "quoted" name', 'a "quoted" name'],
    ['semi;colon; filename=evil', 'semi;colon; filename=evil'],
    ['line\r\nSet-Cookie: a=b', 'line\r\nSet-Cookie: a=b'],
    ['back\\slash', 'back\\slash'],
    ['per%63ent', 'per%63ent'],
    ['folder/', 'download'],
    ['a/b/😀', '😀'],
  ])('of the key %j has the file name %j', async (key, name) => {
    await data.upload(bucket, key)
    const { headers } = await svc.call('GET', downloadPath(key))
    expect(headers).not.toHaveProperty('set-cookie')
    expect(savedName(headers['content-disposition'] ?? '')).toBe(name)
  })

  test('of a version has its bytes, without a version those of the current one', async () => {
    const old = await data.upload(bucket, 'versioned')
    const current = await data.upload(bucket, 'versioned')
    expect((await svc.call('GET', downloadPath('versioned'))).bytes.equals(current.bytes)).toBe(true)
    expect((await svc.call('GET', downloadPath('versioned', old.versionId))).bytes.equals(old.bytes)).toBe(true)
  })

  test('of a deleted key is 404, of its delete marker 405, of its older version 200', async () => {
    const { versionId, bytes } = await data.upload(bucket, 'deleted')
    const marker = await data.remove(bucket, 'deleted')
    expect(refusalOf(await svc.call('GET', downloadPath('deleted')))).toEqual([404, 'object_not_found'])
    expect(refusalOf(await svc.call('GET', downloadPath('deleted', marker)))).toEqual([405, 'is_delete_marker'])
    expect((await svc.call('GET', downloadPath('deleted', versionId))).bytes.equals(bytes)).toBe(true)
  })

  test('of a missing object is 404', async () => {
    const { versionId } = await data.upload(bucket, 'there')
    expect(refusalOf(await svc.call('GET', downloadPath('not there')))).toEqual([404, 'object_not_found'])
    expect(refusalOf(await svc.call('GET', downloadPath('there', 'none')))).toEqual([404, 'version_not_found'])
    expect(refusalOf(await svc.call('GET', downloadPath('elsewhere', versionId)))).toEqual([404, 'version_not_found'])
    expect(refusalOf(await svc.call('GET', `${objectsPath('nowhere')}/download?key=there`))).toEqual([404, 'bucket_not_found'])
  })

  test.each(['', '?key=', '?key=a&key=b', '?key=a&version_id=', '?key=%ff'])('with the query "%s" is refused with 400', async (query) => {
    expect(refusalOf(await svc.call('GET', `${objectsPath()}/download${query}`))).toEqual([400, 'invalid_request'])
  })
})

describe('a delete marker', () => {
  const remove = (query: string, of = bucket) => svc.call('DELETE', `${objectsPath(of)}${query}`)

  test('hides the object and is its newest version', async () => {
    await data.upload(bucket, 'hidden')
    const made = answerOf(deleteObject, await remove('?key=hidden'))
    expect(made).toEqual({
      key: 'hidden',
      delete_marker_version_id: expect.any(String),
      deleted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
    const s3 = svc.connect(owner)
    await expect(s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'hidden' }))).rejects.toMatchObject({ name: 'NotFound' })
    s3.destroy()
    expect(await data.history(bucket, 'hidden')).toMatchObject({
      current_version_id: made.delete_marker_version_id,
      versions: [{ is_delete_marker: true }, { is_delete_marker: false }],
    })
  })

  test('is created on each request, also for a key that never existed', async () => {
    const markers = [await data.remove(bucket, 'never was'), await data.remove(bucket, 'never was')]
    const { versions } = await data.history(bucket, 'never was')
    expect(versions.map(({ version_id }) => version_id)).toEqual(markers.toReversed())
  })

  test.each([
    ['', 'invalid_request'],
    ['?key=', 'invalid_request'],
    ['?key=a%00', 'invalid_key'],
    ['?key=%ff', 'invalid_request'],
    [`?key=${'k'.repeat(1025)}`, 'invalid_key'],
  ])('with the query "%s" is refused with 400', async (query, code) => {
    expect(refusalOf(await remove(query))).toEqual([400, code])
  })

  test('in a missing bucket is 404', async () => {
    expect(refusalOf(await remove('?key=a', 'nowhere'))).toEqual([404, 'bucket_not_found'])
  })
})

/** The file name as a browser reads it: the extended form takes precedence. */
function savedName(disposition: string): string {
  const [, extended] = /filename\*=UTF-8''([^;]+)$/.exec(disposition) ?? []
  if (extended !== undefined) return decodeURIComponent(extended)
  const [, plain = ''] = /^attachment; filename="([^"]*)"$/.exec(disposition) ?? []
  return plain
}
