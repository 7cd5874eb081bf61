import {
  CreateBucketCommand,
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  GetObjectCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/test-gateway.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>
const page = 'https://page.example'

beforeAll(async () => {
  gateway = await startTestGateway()
  const client = gateway.client()
  for (const Bucket of ['shared', 'closed', 'changed']) await client.send(new CreateBucketCommand({ Bucket }))
  await client.send(new PutBucketCorsCommand({ Bucket: 'shared', CORSConfiguration: { CORSRules } }))
  await client.send(new PutObjectCommand({ Bucket: 'shared', Key: 'k', Body: 'x'.repeat(200) }))
})

afterAll(() => gateway[Symbol.asyncDispose]())

const CORSRules = [
  { ID: 'page', AllowedOrigins: [page], AllowedMethods: ['GET', 'PUT'], AllowedHeaders: ['*'], ExposeHeaders: ['ETag'], MaxAgeSeconds: 60 },
  { AllowedOrigins: ['*'], AllowedMethods: ['HEAD'] },
]

test('rules are stored, answered as they were sent, and deleted', async () => {
  const client = gateway.client()
  expect((await client.send(new GetBucketCorsCommand({ Bucket: 'shared' }))).CORSRules).toEqual(CORSRules)
  const Bucket = 'changed'
  const absent = { name: 'NoSuchCORSConfiguration', $metadata: { httpStatusCode: 404 } }
  await expect(client.send(new GetBucketCorsCommand({ Bucket }))).rejects.toMatchObject(absent)
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: CORSRules.slice(1) } }))
  expect((await client.send(new GetBucketCorsCommand({ Bucket }))).CORSRules).toEqual(CORSRules.slice(1))
  expect((await client.send(new DeleteBucketCorsCommand({ Bucket }))).$metadata.httpStatusCode).toBe(204)
  await expect(client.send(new GetBucketCorsCommand({ Bucket }))).rejects.toMatchObject(absent)
})

test('rules that are not valid are refused, and the earlier ones stay', async () => {
  const rule = '<CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>PATCH</AllowedMethod></CORSRule>'
  const put = (content: string) =>
    gateway.send({ method: 'PUT', url: '/shared?cors', body: `<CORSConfiguration>${content}</CORSConfiguration>` })
  expect(await put(rule)).toMatchObject({ status: 400, code: 'InvalidRequest' })
  expect(await put('')).toMatchObject({ status: 400, code: 'MalformedXML' })
  expect(await put(rule.replace('PATCH', 'GET').replace('</CORSRule>', '<MaxAgeSeconds>-1</MaxAgeSeconds></CORSRule>'))).toMatchObject({
    status: 400,
    code: 'MalformedXML',
  })
  expect((await gateway.client().send(new GetBucketCorsCommand({ Bucket: 'shared' }))).CORSRules).toEqual(CORSRules)
})

const asking = (method: string, headers?: string) => ({
  origin: page,
  'access-control-request-method': method,
  ...(headers && { 'access-control-request-headers': headers }),
})

test('a preflight without a signature is answered with what the rule allows', async () => {
  const answer = await gateway.sendUnsigned('OPTIONS', '/shared/k', asking('PUT', 'X-Amz-Date, content-type'))
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'access-control-allow-origin': page,
    'access-control-allow-methods': 'GET, PUT',
    'access-control-allow-headers': 'X-Amz-Date, content-type',
    'access-control-expose-headers': 'ETag',
    'access-control-max-age': '60',
    'access-control-allow-credentials': 'true',
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  })
  expect((await gateway.sendUnsigned('OPTIONS', '/shared?list-type=2', asking('GET'))).status).toBe(200)
})

test.each([
  ['without an origin', '/shared/k', { 'access-control-request-method': 'GET' }, 400, 'BadRequest'],
  ['without a method', '/shared/k', { origin: page }, 400, 'BadRequest'],
  ['of an unknown method', '/shared/k', asking('PATCH'), 400, 'BadRequest'],
  ['with very many headers', '/shared/k', asking('GET', 'a,'.repeat(101)), 400, 'BadRequest'],
  ['of a method that no rule allows', '/shared/k', asking('DELETE'), 403, 'AccessForbidden'],
  ['of another origin', '/shared/k', { ...asking('GET'), origin: 'https://other.example' }, 403, 'AccessForbidden'],
  ['of a bucket without rules', '/closed/k', asking('GET'), 403, 'AccessForbidden'],
  ['of a missing bucket', '/absent/k', asking('GET'), 403, 'AccessForbidden'],
  ['of the service', '/', asking('GET'), 405, 'MethodNotAllowed'],
])('a preflight %s is refused', async (...[, path, headers, status, code]) => {
  const answer = await gateway.sendUnsigned('OPTIONS', path, headers as Record<string, string>)
  expect(answer).toMatchObject({ status, code })
  expect(answer.headers.has('access-control-allow-origin')).toBe(false)
})

test('a browser can use a presigned URL: its preflight is not verified, and the answer allows the page to read it', async () => {
  const url = new URL(await getSignedUrl(gateway.client(), new GetObjectCommand({ Bucket: 'shared', Key: 'k' }), { expiresIn: 60 }))
  const path = `${url.pathname}${url.search}`
  expect((await gateway.sendUnsigned('OPTIONS', path, asking('GET'))).status).toBe(200)
  const got = await gateway.sendUnsigned('GET', path, { origin: page })
  expect(got).toMatchObject({ status: 200, body: 'x'.repeat(200) })
  expect(got.headers.get('access-control-allow-origin')).toBe(page)
  expect(got.headers.get('access-control-expose-headers')).toBe('ETag')
})

test('an answer that is an error allows the page to read it too; without a rule, nothing changes', async () => {
  const absent = await gateway.send({ method: 'GET', url: '/shared/absent', headers: { origin: page } })
  expect(absent).toMatchObject({ status: 404, code: 'NoSuchKey' })
  expect(absent.headers.get('access-control-allow-origin')).toBe(page)
  const anonymous = await gateway.sendUnsigned('HEAD', '/shared/k', { origin: 'https://any.example' })
  expect(anonymous.status).toBe(403)
  expect(anonymous.headers.get('access-control-allow-origin')).toBe('*')
  const other = await gateway.send({ method: 'GET', url: '/shared/k', headers: { origin: 'https://other.example' } })
  expect(other.status).toBe(200)
  expect(other.headers.has('access-control-allow-origin')).toBe(false)
  expect((await gateway.send({ method: 'GET', url: '/shared/k' })).headers.has('vary')).toBe(false)
})

test.each(['GET', 'PUT', 'DELETE'])('%s of the rules is allowed to the owner and admins only', async (method) => {
  const { owner, admin, other, plain } = gateway.users
  const body =
    '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>'
  await gateway.send({ method: 'PUT', url: '/changed?cors', body })
  const request = { method, url: '/changed?cors', body: method === 'PUT' ? body : '' }
  for (const user of [other, plain]) expect(await gateway.send({ ...request, user })).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(await gateway.sendUnsigned(method, request.url)).toMatchObject({ status: 403 })
  expect(await gateway.send({ ...request, url: '/absent?cors' })).toMatchObject({ status: 404, code: 'NoSuchBucket' })
  for (const user of [owner, admin]) expect((await gateway.send({ ...request, user })).status).toBe(method === 'DELETE' ? 204 : 200)
})
