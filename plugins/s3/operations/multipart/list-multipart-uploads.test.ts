import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { multipartClient } from '../../testing/multipart-client.ts'
import { admin, owner, startStoredServer } from '../../testing/test-server.ts'

const Bucket = 'lists'
const keys = ['a', 'b/1', 'b/2', 'b/2', 'c d', 'ü']
let server: Awaited<ReturnType<typeof startStoredServer>>
let client: S3Client
const ids: string[] = []

beforeAll(async () => {
  server = await startStoredServer()
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  client = server.client()
  const uploads = multipartClient(client, Bucket)
  for (const key of keys) ids.push((await uploads.create(key, { ChecksumAlgorithm: 'CRC64NVME' })).UploadId)
})

afterAll(async () => {
  client.destroy()
  await server[Symbol.asyncDispose]()
})

const list = (more: Partial<ListMultipartUploadsCommandInput> = {}) => client.send(new ListMultipartUploadsCommand({ Bucket, ...more }))
const listed = async (more: Partial<ListMultipartUploadsCommandInput>) => {
  const { Uploads = [], CommonPrefixes = [] } = await list(more)
  return [...Uploads.map(({ Key }) => Key), ...CommonPrefixes.map(({ Prefix }) => Prefix)]
}

test('open uploads are listed by key, then by creation', async () => {
  const answer = await list()
  expect(answer).toMatchObject({ Bucket, MaxUploads: 1000, IsTruncated: false })
  expect(answer.Uploads?.map(({ Key }) => Key)).toEqual(keys)
  expect(answer.Uploads?.[0]).toMatchObject({
    UploadId: ids[0],
    Initiated: expect.any(Date),
    Initiator: { ID: owner.ownerId },
    Owner: { ID: owner.ownerId },
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: 'CRC64NVME',
    ChecksumType: 'FULL_OBJECT',
  })
})

test('the initiator is the user who created the upload, the owner that of the bucket', async () => {
  const powerful = server.client(admin)
  const place = await multipartClient(powerful, Bucket).create('zz')
  powerful.destroy()
  const { Uploads = [] } = await list({ Prefix: 'zz' })
  expect(Uploads).toMatchObject([{ Initiator: { ID: admin.ownerId }, Owner: { ID: owner.ownerId } }])
  await client.send(new AbortMultipartUploadCommand(place))
})

test('a prefix and a delimiter select and group keys', async () => {
  expect(await listed({ Prefix: 'b' })).toEqual(['b/1', 'b/2', 'b/2'])
  expect(await listed({ Delimiter: '/', Prefix: '', MaxUploads: 4 })).toEqual(['a', 'c d', 'ü', 'b/'])
  expect(await listed({ Delimiter: '/', Prefix: 'b/' })).toEqual(['b/1', 'b/2', 'b/2'])
})

test.each([1, 2, 3, 1000])('pages of %i have every upload and common prefix once', async (MaxUploads) => {
  for (const delimiter of [{}, { Delimiter: '/' }]) {
    const found: unknown[] = []
    let markers: Partial<ListMultipartUploadsCommandInput> | undefined = {}
    while (markers) {
      const page = await list({ ...delimiter, ...markers, MaxUploads })
      const { Uploads = [], CommonPrefixes = [] } = page
      found.push(...Uploads.map(({ UploadId }) => UploadId), ...CommonPrefixes.map(({ Prefix }) => Prefix))
      markers = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined
    }
    const { Uploads = [], CommonPrefixes = [] } = await list(delimiter)
    const all = [...Uploads.map(({ UploadId }) => UploadId), ...CommonPrefixes.map(({ Prefix }) => Prefix)]
    expect(found.toSorted()).toEqual(all.toSorted())
  }
})

test('a key marker passes all uploads of the key, with an upload those up to it', async () => {
  expect(await listed({ KeyMarker: 'b/2', Prefix: 'b' })).toEqual([])
  expect((await list({ KeyMarker: 'b/2', UploadIdMarker: ids[2], Prefix: 'b' })).Uploads).toMatchObject([{ Key: 'b/2', UploadId: ids[3] }])
  expect(await listed({ UploadIdMarker: ids[4], Prefix: 'b' })).toEqual(['b/1', 'b/2', 'b/2'])
})

test('keys are encoded on request', async () => {
  const answer = await server.send({ method: 'GET', url: `/${Bucket}?uploads&encoding-type=url&prefix=c%20&key-marker=b%20c`, user: owner })
  for (const part of ['<Key>c%20d</Key>', '<Prefix>c%20</Prefix>', '<KeyMarker>b%20c</KeyMarker>', '<EncodingType>url</EncodingType>']) {
    expect(answer.body).toContain(part)
  }
  const odd = await server.send({ method: 'GET', url: `/${Bucket}?uploads&encoding-type=x`, user: owner })
  expect(odd).toMatchObject({ status: 400, code: 'InvalidArgument' })
})

test('none are listed with a limit of 0, and a limit that is no count is refused', async () => {
  expect(await list({ MaxUploads: 0 })).toMatchObject({ IsTruncated: false, MaxUploads: 0 })
  expect((await list({ MaxUploads: 5000 })).MaxUploads).toBe(1000)
  await expect(list({ MaxUploads: -1 })).rejects.toMatchObject({ name: 'InvalidArgument' })
})
