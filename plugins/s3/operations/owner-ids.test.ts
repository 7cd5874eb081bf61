import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway } from '../testing/test-gateway.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>
beforeAll(async () => {
  gateway = await startTestGateway({ 's3.default_object_ownership': 'ObjectWriter' })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const bytes = 'x'.repeat(200)

test('answers name owners, grantees and initiators by an ID that stays, and tell no access key', async () => {
  const { owner, other } = gateway.users
  const send = async (method: string, url: string, options: Partial<Parameters<typeof gateway.send>[0]> = {}) => {
    const answer = await gateway.send({ method, url, ...options })
    expect(answer.status).toBe(200)
    return answer.body
  }
  await send('PUT', '/shared', { headers: { 'x-amz-grant-write': `id="${other.ownerId}"`, 'x-amz-grant-read': `id="${other.accessKey}"` } })
  await send('PUT', '/shared/theirs', { user: other, body: bytes, headers: { 'x-amz-grant-read': `id="${owner.accessKey}"` } })
  const created = await send('POST', '/shared/parts?uploads', { user: other })
  const uploadId = created.match(/<UploadId>([^<]+)/)?.[1]
  const answers = {
    buckets: await send('GET', '/'),
    bucketAcl: await send('GET', '/shared?acl'),
    objectAcl: await send('GET', '/shared/theirs?acl', { user: other }),
    list: await send('GET', '/shared?list-type=2&fetch-owner=true'),
    listV1: await send('GET', '/shared'),
    versions: await send('GET', '/shared?versions'),
    uploads: await send('GET', '/shared?uploads'),
    parts: await send('GET', `/shared/parts?uploadId=${uploadId}`),
  }
  const ids = Object.fromEntries(Object.entries(answers).map(([name, body]) => [name, [...new Set(body.match(/(?<=<ID>)[^<]+/g))].sort()]))
  const both = [owner.ownerId, other.ownerId].sort()
  const [own, theirs] = [[owner.ownerId], [other.ownerId]]
  expect(ids).toEqual({
    ...{ buckets: own, bucketAcl: both, objectAcl: both, list: theirs, listV1: theirs },
    ...{ versions: theirs, uploads: theirs, parts: theirs },
  })
  for (const body of Object.values(answers)) {
    for (const { accessKey } of Object.values(gateway.users)) expect(body).not.toContain(accessKey)
  }
})

test('a bucket is expected to belong to its owner by ID or by access key', async () => {
  const { owner, other } = gateway.users
  await gateway.send({ method: 'PUT', url: '/expected' })
  const status = async (id: string) =>
    (await gateway.send({ method: 'HEAD', url: '/expected', headers: { 'x-amz-expected-bucket-owner': id } })).status
  expect(await status(owner.ownerId)).toBe(200)
  expect(await status(owner.accessKey)).toBe(200)
  expect(await status(other.ownerId)).toBe(403)
  expect(await status(other.accessKey)).toBe(403)
})
