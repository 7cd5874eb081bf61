import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/test-gateway.ts'

const missingVersion = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
let gateway: Awaited<ReturnType<typeof startTestGateway>>
const Bucket = 'tagged'
const Body = 'x'.repeat(200)

beforeAll(async () => {
  gateway = await startTestGateway()
  await gateway.client().send(new CreateBucketCommand({ Bucket }))
})

afterAll(() => gateway[Symbol.asyncDispose]())

test('tags are stored with an upload, counted, replaced and deleted, of each version on its own', async () => {
  const client = gateway.client()
  const Key = 'versions'
  const first = await client.send(new PutObjectCommand({ Bucket, Key, Body, Tagging: 'b=2&a=1+%3D' }))
  const second = await client.send(new PutObjectCommand({ Bucket, Key, Body }))
  const tagsOf = (VersionId?: string) => client.send(new GetObjectTaggingCommand({ Bucket, Key, VersionId }))
  expect(await tagsOf(first.VersionId)).toMatchObject({
    VersionId: first.VersionId,
    TagSet: [
      { Key: 'a', Value: '1 =' },
      { Key: 'b', Value: '2' },
    ],
  })
  expect(await tagsOf()).toMatchObject({ VersionId: second.VersionId, TagSet: [] })
  expect((await client.send(new HeadObjectCommand({ Bucket, Key }))).TagCount).toBeUndefined()
  expect((await client.send(new HeadObjectCommand({ Bucket, Key, VersionId: first.VersionId }))).TagCount).toBe(2)

  const Tagging = { TagSet: [{ Key: 'c', Value: '<3' }] }
  await expect(client.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging }))).rejects.toMatchObject({ name: 'InvalidTag' })
  const put = await client.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [{ Key: 'c', Value: '3' }] } }))
  expect(put).toMatchObject({ VersionId: second.VersionId, $metadata: { httpStatusCode: 200 } })
  expect((await client.send(new GetObjectCommand({ Bucket, Key }))).TagCount).toBe(1)
  expect((await tagsOf(first.VersionId)).TagSet).toHaveLength(2)

  const removed = await client.send(new DeleteObjectTaggingCommand({ Bucket, Key, VersionId: first.VersionId }))
  expect(removed).toMatchObject({ VersionId: first.VersionId, $metadata: { httpStatusCode: 204 } })
  expect((await tagsOf(first.VersionId)).TagSet).toEqual([])
  expect((await tagsOf()).TagSet).toEqual([{ Key: 'c', Value: '3' }])
})

const tagSet = (tags: string) => `<Tagging><TagSet>${tags}</TagSet></Tagging>`
const tag = (key: string, value = '') => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`

test.each([
  ['a tag named twice', tagSet(tag('a') + tag('a')), 'InvalidTag'],
  ['a reserved tag', tagSet(tag('aws:a')), 'InvalidTag'],
  ['eleven tags', tagSet(Array.from({ length: 11 }, (_, index) => tag(`k${index}`)).join('')), 'BadRequest'],
  ['a tag without a value', tagSet('<Tag><Key>a</Key></Tag>'), 'MalformedXML'],
  ['no TagSet', '<Tagging/>', 'MalformedXML'],
  ['another document', '<Delete/>', 'MalformedXML'],
  ['a document type', `<!DOCTYPE x [<!ENTITY a "b">]>${tagSet(tag('&a;'))}`, 'MalformedXML'],
])('tags with %s are refused, and the tags stay', async (_, body, code) => {
  await gateway.client().send(new PutObjectCommand({ Bucket, Key: 'kept', Body, Tagging: 'kept=1' }))
  expect(await gateway.send({ method: 'PUT', url: `/${Bucket}/kept?tagging`, body })).toMatchObject({ status: 400, code })
  const { TagSet } = await gateway.client().send(new GetObjectTaggingCommand({ Bucket, Key: 'kept' }))
  expect(TagSet).toEqual([{ Key: 'kept', Value: '1' }])
})

test.each(['GET', 'PUT', 'DELETE'])('%s of the tags of what has none is refused', async (method) => {
  const client = gateway.client()
  await client.send(new PutObjectCommand({ Bucket, Key: 'deleted', Body }))
  const marker = await client.send(new DeleteObjectCommand({ Bucket, Key: 'deleted' }))
  const ask = (path: string) => gateway.send({ method, url: `/${path}`, body: method === 'PUT' ? tagSet(tag('a')) : '' })
  expect(await ask(`${Bucket}/absent?tagging`)).toMatchObject({ status: 404, code: 'NoSuchKey' })
  expect(await ask(`${Bucket}/deleted?tagging&versionId=${missingVersion}`)).toMatchObject({ status: 404, code: 'NoSuchVersion' })
  expect(await ask(`${Bucket}/deleted?tagging&versionId=none`)).toMatchObject({ status: 400, code: 'InvalidArgument' })
  expect(await ask(`${Bucket}/deleted?tagging`)).toMatchObject({ status: 404, code: 'NoSuchKey' })
  expect(await ask(`${Bucket}/deleted?tagging&versionId=${marker.VersionId}`)).toMatchObject({ status: 405, code: 'MethodNotAllowed' })
  expect(await ask('absent/k?tagging')).toMatchObject({ status: 404, code: 'NoSuchBucket' })
})

test.each(['GET', 'PUT', 'DELETE'])('%s of tags is allowed to the owner and admins only', async (method) => {
  const { owner, admin, other, plain } = gateway.users
  await gateway.client().send(new PutObjectCommand({ Bucket, Key: 'private', Body, Tagging: 'a=1' }))
  const request = { method, url: `/${Bucket}/private?tagging`, body: method === 'PUT' ? tagSet(tag('a')) : '' }
  for (const user of [other, plain]) expect(await gateway.send({ ...request, user })).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(await gateway.sendUnsigned(method, request.url)).toMatchObject({ status: 403 })
  for (const user of [owner, admin]) expect((await gateway.send({ ...request, user })).status).toBe(method === 'DELETE' ? 204 : 200)
})

test('a copy keeps the tags of its source, or gets those of the request; an upload in parts gets those of its creation', async () => {
  const client = gateway.client()
  const tagsOf = async (Key: string) => (await client.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet
  await client.send(new PutObjectCommand({ Bucket, Key: 'source', Body, Tagging: 'a=1' }))
  const copy = { Bucket, CopySource: `${Bucket}/source` }
  await client.send(new CopyObjectCommand({ ...copy, Key: 'kept', MetadataDirective: 'REPLACE' }))
  await client.send(new CopyObjectCommand({ ...copy, Key: 'replaced', TaggingDirective: 'REPLACE', Tagging: 'b=2' }))
  await client.send(new CopyObjectCommand({ ...copy, Key: 'none', TaggingDirective: 'REPLACE' }))
  expect(await Promise.all(['kept', 'replaced', 'none'].map(tagsOf))).toEqual([[{ Key: 'a', Value: '1' }], [{ Key: 'b', Value: '2' }], []])

  const upload = { Bucket, Key: 'parts' }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...upload, Tagging: 'c=3' }))
  const { ETag } = await client.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body }))
  await client.send(new CompleteMultipartUploadCommand({ ...upload, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }))
  expect(await tagsOf('parts')).toEqual([{ Key: 'c', Value: '3' }])
})

test('a copy hands no tags to a caller who may read the object but not its tags', async () => {
  const client = gateway.client()
  const { other } = gateway.users
  const { VersionId } = await client.send(
    new PutObjectCommand({ Bucket, Key: 'shared', Body, Tagging: 'a=1', GrantRead: `id="${other.accessKey}"` }),
  )
  await client.send(new PutObjectCommand({ Bucket, Key: 'shared-plain', Body, GrantRead: `id="${other.accessKey}"` }))
  const theirs = gateway.client(other)
  await theirs.send(new CreateBucketCommand({ Bucket: 'theirs' }))
  for (const CopySource of [`${Bucket}/shared`, `${Bucket}/shared?versionId=${VersionId}`]) {
    const copy = { Bucket: 'theirs', Key: 'k', CopySource }
    const action = CopySource.includes('?') ? 's3:GetObjectVersionTagging' : 's3:GetObjectTagging'
    await expect(theirs.send(new CopyObjectCommand(copy))).rejects.toMatchObject({
      name: 'AccessDenied',
      message: expect.stringContaining(action),
    })
    await theirs.send(new CopyObjectCommand({ ...copy, TaggingDirective: 'REPLACE' }))
  }
  await theirs.send(new CopyObjectCommand({ Bucket: 'theirs', Key: 'untagged', CopySource: `${Bucket}/shared-plain` }))
  const { TagSet } = await theirs.send(new GetObjectTaggingCommand({ Bucket: 'theirs', Key: 'k' }))
  expect(TagSet).toEqual([])
})
