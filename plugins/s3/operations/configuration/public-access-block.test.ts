import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/test-gateway.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>
const Bucket = 'blocked'
const block = (...names: readonly string[]) =>
  `<PublicAccessBlockConfiguration>${names.map((name) => `<${name}>true</${name}>`).join('')}</PublicAccessBlockConfiguration>`
const put = (...names: readonly string[]) => gateway.send({ method: 'PUT', url: `/${Bucket}?publicAccessBlock`, body: block(...names) })
const read = (user?: 'anonymous') =>
  user ? gateway.sendUnsigned('GET', `/${Bucket}/k`) : gateway.send({ method: 'GET', url: `/${Bucket}/k`, user: gateway.users.other })

beforeAll(async () => {
  gateway = await startTestGateway({ 's3.public_access': true })
  await gateway.client().send(new CreateBucketCommand({ Bucket, ACL: 'public-read' }))
  await gateway.client().send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x'.repeat(200), ACL: 'public-read' }))
})

afterAll(() => gateway[Symbol.asyncDispose]())

test('a block is stored, shown and deleted, by the owner and admins only', async () => {
  const url = `/${Bucket}?publicAccessBlock`
  expect(await gateway.send({ method: 'GET', url })).toMatchObject({ status: 404, code: 'NoSuchPublicAccessBlockConfiguration' })
  expect(await put('BlockPublicAcls', 'RestrictPublicBuckets')).toMatchObject({ status: 200 })
  for (const user of [gateway.users.owner, gateway.users.admin]) {
    const { body } = await gateway.send({ method: 'GET', url, user })
    expect(body.match(/<\w+>(?:true|false)/g)).toEqual([
      '<BlockPublicAcls>true',
      '<IgnorePublicAcls>false',
      '<BlockPublicPolicy>false',
      '<RestrictPublicBuckets>true',
    ])
  }
  for (const method of ['GET', 'PUT', 'DELETE']) {
    expect(await gateway.send({ method, url, user: gateway.users.other })).toMatchObject({ status: 403, code: 'AccessDenied' })
    expect(await gateway.sendUnsigned(method, url)).toMatchObject({ status: 403 })
    expect(await gateway.send({ method, url: '/absent?publicAccessBlock' })).toMatchObject({ status: 404, code: 'NoSuchBucket' })
  }
  expect(await gateway.send({ method: 'PUT', url, body: '<x/>' })).toMatchObject({ status: 400, code: 'MalformedXML' })
  const unclear = block('BlockPublicAcls').replace('true', 'yes')
  expect(await gateway.send({ method: 'PUT', url, body: unclear })).toMatchObject({ status: 400, code: 'MalformedXML' })
  expect(await gateway.send({ method: 'DELETE', url })).toMatchObject({ status: 204 })
  expect(await gateway.send({ method: 'GET', url })).toMatchObject({ status: 404 })
})

test('BlockPublicAcls refuses new public lists, and leaves stored ones and private ones', async () => {
  await put('BlockPublicAcls')
  const source = { 'x-amz-copy-source': `${Bucket}/k` }
  for (const acl of ['public-read', 'public-read-write', 'authenticated-read']) {
    const headers = { 'x-amz-acl': acl }
    for (const request of [
      { method: 'PUT', url: `/${Bucket}?acl`, headers },
      { method: 'PUT', url: `/${Bucket}/k?acl`, headers },
      { method: 'PUT', url: `/${Bucket}/new`, headers, body: 'x'.repeat(200) },
      { method: 'PUT', url: `/${Bucket}/new`, headers: { ...headers, ...source } },
      { method: 'POST', url: `/${Bucket}/new?uploads`, headers },
    ]) {
      expect.soft(await gateway.send(request)).toMatchObject({ status: 403, body: expect.stringContaining('(BlockPublicAcls)') })
    }
  }
  expect(await read('anonymous')).toMatchObject({ status: 200 })
  expect(
    await gateway.send({ method: 'PUT', url: `/${Bucket}/new`, headers: { 'x-amz-acl': 'private' }, body: 'x'.repeat(200) }),
  ).toMatchObject({
    status: 200,
  })
})

test('IgnorePublicAcls ends public access at once, and its deletion gives it back', async () => {
  const status = () => gateway.send({ method: 'GET', url: `/${Bucket}?policyStatus` })
  await put('IgnorePublicAcls')
  for (const answer of [await read(), await read('anonymous'), await gateway.sendUnsigned('GET', `/${Bucket}`)]) {
    expect(answer).toMatchObject({ status: 403, code: 'AccessDenied' })
  }
  expect((await status()).body).toContain('<IsPublic>false</IsPublic>')
  await gateway.send({ method: 'DELETE', url: `/${Bucket}?publicAccessBlock` })
  expect(await read('anonymous')).toMatchObject({ status: 200 })
  expect((await status()).body).toContain('<IsPublic>true</IsPublic>')
})
