import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketTaggingCommand,
  GetBucketTaggingCommand,
  PutBucketTaggingCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/test-gateway.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>

beforeAll(async () => {
  gateway = await startTestGateway()
  for (const Bucket of ['tagged', 'kept']) await gateway.client().send(new CreateBucketCommand({ Bucket }))
})

afterAll(() => gateway[Symbol.asyncDispose]())

const noTags = { name: 'NoSuchTagSet', $metadata: { httpStatusCode: 404 } }

test('tags of a bucket are stored, replaced and deleted', async () => {
  const client = gateway.client()
  const Bucket = 'tagged'
  const read = () => client.send(new GetBucketTaggingCommand({ Bucket }))
  await expect(read()).rejects.toMatchObject(noTags)
  const put = (...TagSet: { Key: string; Value: string }[]) => client.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }))
  await put({ Key: 'old', Value: '' })
  const answer = await put({ Key: 'b', Value: 'x y' }, { Key: 'a', Value: '1' })
  expect(answer.$metadata.httpStatusCode).toBe(204)
  expect((await read()).TagSet).toEqual([
    { Key: 'a', Value: '1' },
    { Key: 'b', Value: 'x y' },
  ])
  await expect(gateway.client().send(new GetBucketTaggingCommand({ Bucket: 'kept' }))).rejects.toMatchObject(noTags)
  for (let times = 0; times < 2; times += 1) {
    expect((await client.send(new DeleteBucketTaggingCommand({ Bucket }))).$metadata.httpStatusCode).toBe(204)
    await expect(read()).rejects.toMatchObject(noTags)
  }
})

test('a bucket made with tags has them, and a new bucket of the name of a deleted one has none', async () => {
  const client = gateway.client()
  const Bucket = 'reborn'
  const CreateBucketConfiguration = { Tags: [{ Key: 'a', Value: '1' }] }
  await client.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
  expect((await client.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual(CreateBucketConfiguration.Tags)
  await client.send(new DeleteBucketCommand({ Bucket }))
  await client.send(new CreateBucketCommand({ Bucket }))
  await expect(client.send(new GetBucketTaggingCommand({ Bucket }))).rejects.toMatchObject(noTags)
})

const tag = (key: string) => `<Tag><Key>${key}</Key><Value/></Tag>`

test.each([
  ['51 tags', Array.from({ length: 51 }, (_, index) => tag(`k${index}`)).join(''), 'BadRequest'],
  ['a reserved tag', tag('aws:x'), 'InvalidTag'],
  ['a tag named twice', tag('a') + tag('a'), 'InvalidTag'],
  ['a tag without a value', '<Tag><Key>a</Key></Tag>', 'MalformedXML'],
])('%s are refused', async (_, tags, code) => {
  const request = { method: 'PUT', url: '/kept?tagging', body: `<Tagging><TagSet>${tags}</TagSet></Tagging>` }
  expect(await gateway.send(request)).toMatchObject({ status: 400, code })
  expect(await gateway.send({ method: 'GET', url: '/kept?tagging' })).toMatchObject({ status: 404, code: 'NoSuchTagSet' })
})

test('a bucket with tags that are refused is not created', async () => {
  const body = `<CreateBucketConfiguration><Tags>${tag('aws:x')}</Tags></CreateBucketConfiguration>`
  expect(await gateway.send({ method: 'PUT', url: '/unborn', body })).toMatchObject({ status: 400, code: 'InvalidTag' })
  expect(await gateway.send({ method: 'GET', url: '/unborn?tagging' })).toMatchObject({ status: 404, code: 'NoSuchBucket' })
})

test.each(['GET', 'PUT', 'DELETE'])('%s of the tags of a bucket is allowed to the owner and admins only', async (method) => {
  const { owner, admin, other, plain } = gateway.users
  const body = `<Tagging><TagSet>${tag('a')}</TagSet></Tagging>`
  await gateway.send({ method: 'PUT', url: '/tagged?tagging', body })
  const request = { method, url: '/tagged?tagging', body: method === 'PUT' ? body : '' }
  for (const user of [other, plain]) expect(await gateway.send({ ...request, user })).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(await gateway.sendUnsigned(method, request.url)).toMatchObject({ status: 403 })
  expect(await gateway.send({ ...request, url: '/absent?tagging' })).toMatchObject({ status: 404, code: 'NoSuchBucket' })
  for (const user of [owner, admin]) expect((await gateway.send({ ...request, user })).status).toBe(method === 'GET' ? 200 : 204)
})
