/** Wrong methods, paths and bodies: each is refused in the common error format, without internal details. */
import { beforeAll, describe, expect, test } from 'vitest'
import { refusalOf } from '../fixtures/admin-answers.ts'
import { createAdminData } from '../fixtures/admin-data.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'

let svc: Gateway
let bucket: string
let before: readonly string[]
beforeAll(async () => {
  svc = await sharedServe()
  bucket = await createAdminData(svc).makeBucket()
  before = await bucketNames()
})

const bucketNames = async (): Promise<readonly string[]> =>
  (await svc.call('GET', '/api/v1/buckets')).json.map(({ name }: { name: string }) => name)

const reads = [
  '/api/v1/overview',
  '/api/v1/system/info',
  '/api/v1/system/plugins',
  '/api/v1/workers',
  '/api/v1/cache/stats',
  '/api/v1/events',
  '/api/v1/openapi.json',
  '/api/v1/buckets/{bucket}/objects/versions',
  '/api/v1/buckets/{bucket}/objects/deleted',
  '/api/v1/buckets/{bucket}/objects/deletions',
  '/api/v1/buckets/{bucket}/objects/provenance',
  '/api/v1/buckets/{bucket}/objects/status-detail',
  '/api/v1/buckets/{bucket}/objects/download',
  '/api/v1/buckets/{bucket}/storage-health/affected-versions',
]
const writes = [
  '/api/v1/buckets/{bucket}/owner',
  '/api/v1/buckets/{bucket}/copy-policy',
  '/api/v1/buckets/{bucket}/objects/upload',
  '/api/v1/buckets/{bucket}/objects/restore',
  '/api/v1/buckets/{bucket}/objects/versions/restore',
  '/api/v1/buckets/{bucket}/objects/permanent-delete',
  '/api/v1/buckets/{bucket}/objects/deleted/permanent-delete',
  '/api/v1/s3-users/{bucket}/secret',
]
const here = (path: string) => path.replace('{bucket}', bucket)

describe.each(reads)('%s', (path) => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])('has no %s', async (method) => {
    const reply = await svc.call(method, here(path))
    expect([...refusalOf(reply), reply.headers.allow]).toEqual([405, 'method_not_allowed', expect.stringMatching(/^GET(, HEAD)?$/)])
  })
})

test.each(writes)('%s does not support GET', async (path) => {
  const reply = await svc.call('GET', here(path))
  expect([...refusalOf(reply), reply.headers.allow]).toEqual([405, 'method_not_allowed', expect.stringMatching(/^(POST|PUT)$/)])
})

test.each([
  ['PATCH', '/api/v1/buckets', 'GET, HEAD, POST'],
  ['DELETE', '/api/v1/buckets', 'GET, HEAD, POST'],
  ['POST', '/api/v1/buckets/{bucket}', 'DELETE, GET, HEAD'],
  ['PUT', '/api/v1/buckets/{bucket}', 'DELETE, GET, HEAD'],
  ['POST', '/api/v1/buckets/{bucket}/objects', 'DELETE, GET, HEAD'],
  ['GET', '/api/v1/s3-users/somebody', 'DELETE, PUT'],
  ['POST', '/api/v1/s3-users/somebody', 'DELETE, PUT'],
  ['DELETE', '/api/v1/s3-users', 'GET, HEAD, POST'],
  ['POST', '/healthz', 'GET, HEAD'],
  ['POST', '/metrics', 'GET'],
])('%s %s is answered 405 with the supported methods', async (method, path, allow) => {
  const reply = await svc.call(method, here(path))
  expect([...refusalOf(reply), reply.headers.allow]).toEqual([405, 'method_not_allowed', allow])
})

test.each([
  ['GET', '/api/v1/buckets/'],
  ['GET', '/api/v1/buckets/{bucket}/nothing'],
  ['GET', '/api/v1/buckets/{bucket}/objects/'],
  ['GET', '/api/v1/buckets/{bucket}/objects/nothing'],
  ['GET', '/api/v1'],
  ['GET', '/api/v1/'],
  ['GET', '/api/v2/buckets'],
  ['GET', '/api/v1/Buckets'],
  ['GET', '/api'],
  ['GET', '/admin'],
  ['GET', '/api/v1/s3-users/a/b/c'],
])('%s %s is answered 404', async (method, path) => {
  expect(refusalOf(await svc.call(method, here(path)))).toEqual([404, 'not_found'])
})

test.each([
  '/api/v1/../../etc/passwd',
  '/api/v1/buckets/..%2f..%2fetc%2fpasswd',
  '//api/v1/overview',
  '/api//v1/overview',
  '/api/v1/overview/',
  '/API/v1/overview',
  '/api/v1/overview;a=b',
  '/api/v1/overview%00',
  '/api/v1/overview%2f',
  '/api/v1/%6fverview/x',
  '/api/v1/buckets/%zz',
  '/api/v1/buckets/%',
  '/api/v1/buckets/%ff',
  `/api/v1/buckets/${'x'.repeat(5000)}`,
  `/api/v1/${'a/'.repeat(2000)}`,
])('%s is refused with 400 or 404', async (path) => {
  const [status] = refusalOf(await svc.call('GET', path))
  expect([400, 404]).toContain(status)
})

/** Bodies that every endpoint with a body refuses. */
const bodies = [
  'null',
  '[]',
  '"text"',
  '5',
  '{',
  '{"a":}',
  '{"name": "refused",}',
  'name=refused',
  '{"name":"refused","name":"refused-too"}',
  '{"__proto__":{"key":"a"}}',
  '{"constructor":{"prototype":{}}}',
  '{"key":{"$gt":""},"version_id":{"$gt":""}}',
  '\u0000',
  `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`,
  '[['.repeat(1500),
  `{"key":"${'k'.repeat(4096)}"}`,
]

describe.each([
  ['POST', '/api/v1/buckets'],
  ['PUT', '/api/v1/buckets/{bucket}/owner'],
  ['PUT', '/api/v1/buckets/{bucket}/copy-policy'],
  ['POST', '/api/v1/buckets/{bucket}/objects/restore'],
  ['POST', '/api/v1/buckets/{bucket}/objects/versions/restore'],
  ['POST', '/api/v1/buckets/{bucket}/objects/permanent-delete'],
  ['POST', '/api/v1/buckets/{bucket}/objects/deleted/permanent-delete'],
  ['POST', '/api/v1/s3-users'],
  ['PUT', '/api/v1/s3-users/somebody'],
  ['POST', '/api/v1/s3-users/somebody/secret'],
])('%s %s', (method, path) => {
  test('answers every wrong body with 400', async () => {
    for (const body of bodies) {
      const headers = { 'content-type': 'application/json' }
      expect([body, ...refusalOf(await svc.call(method, here(path), { body, headers }))]).toEqual([body, 400, 'invalid_request'])
    }
  })

  test('answers a body that is not UTF-8 with 400', async () => {
    const headers = { 'content-type': 'application/json' }
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    expect(refusalOf(await svc.call(method, here(path), { body, headers }))).toEqual([400, 'invalid_request'])
  })
})

test('after all these requests the service is healthy and has the same buckets', async () => {
  expect((await svc.call('GET', '/healthz')).json).toEqual({ status: 'ok' })
  expect(await bucketNames()).toEqual(before)
})
