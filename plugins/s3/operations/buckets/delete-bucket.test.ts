import { DeleteBucketCommand, DeleteObjectCommand, HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { multipartClient } from '../../testing/multipart-client.ts'
import { owner, startTestServer } from '../../testing/test-server.ts'

const Bucket = 'doomed'

test('a bucket is deleted when its last version and delete marker are gone, and its name can be used again', async () => {
  await using server = await startTestServer()
  const client = server.client()
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  const put = await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x'.repeat(200) }))
  const marker = await client.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
  const remove = () => client.send(new DeleteBucketCommand({ Bucket }))
  for (const { VersionId } of [put, marker]) {
    await expect(remove()).rejects.toMatchObject({ name: 'BucketNotEmpty', $metadata: { httpStatusCode: 409 } })
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId }))
  }
  expect((await remove()).$metadata.httpStatusCode).toBe(204)
  await expect(client.send(new HeadBucketCommand({ Bucket }))).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } })
  await expect(remove()).rejects.toMatchObject({ name: 'NoSuchBucket', $metadata: { httpStatusCode: 404 } })
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  await client.send(new HeadBucketCommand({ Bucket }))
  client.destroy()
})

test('open uploads of a bucket without versions are aborted with it', async () => {
  await using server = await startTestServer()
  const client = server.client()
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  const uploads = multipartClient(client, Bucket)
  const place = await uploads.create('k')
  const part = await uploads.put(place, 1, 'x'.repeat(200))
  expect(server.storage.cache.stats().usedBytes).toBe(200)
  expect((await client.send(new DeleteBucketCommand({ Bucket }))).$metadata.httpStatusCode).toBe(204)
  expect(server.storage.cache.stats().usedBytes).toBe(0)
  await expect(uploads.complete(place, [part])).rejects.toMatchObject({ name: 'NoSuchBucket' })
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  await expect(uploads.complete(place, [part])).rejects.toMatchObject({ name: 'NoSuchUpload' })
  await server.storage.expectSound()
  client.destroy()
})

test('only the owner and admins delete a bucket', async () => {
  await using server = await startTestServer()
  const client = server.client()
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: 'AKIAOTHER' })
  await expect(client.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject({ name: 'AccessDenied' })
  expect(server.storage.buckets.find(Bucket)).toBeDefined()
  client.destroy()
})

test('with s3.bucket_deletion off the operation is not implemented', async () => {
  await using server = await startTestServer({ settings: { bucket_deletion: false } })
  const client = server.client()
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  await expect(client.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject({
    name: 'NotImplemented',
    message: expect.stringContaining('s3.bucket_deletion'),
    $metadata: { httpStatusCode: 501 },
  })
  expect(server.storage.buckets.find(Bucket)).toBeDefined()
  client.destroy()
})
