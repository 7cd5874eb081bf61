import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServeProcess, startServe } from '../fixtures/serve-process.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { type ClientFile, clientRange, clientSizes, sha256OfStream, writeClientFiles } from './client-files.ts'

const Bucket = 'sdk'

const dir = temporaryDirectory()
let gateway: ServeProcess
let s3: S3Client
let files: readonly ClientFile[]

beforeAll(async () => {
  gateway = await startServe()
  s3 = gateway.connect(await gateway.createUser())
  files = writeClientFiles(dir.path)
  await s3.send(new CreateBucketCommand({ Bucket }))
})

afterAll(async () => {
  s3?.destroy()
  await gateway?.[Symbol.asyncDispose]()
  dir[Symbol.dispose]()
})

const putters = {
  'client-s3': (Key: string, { path, size }: ClientFile) =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body: createReadStream(path), ContentLength: size })),
  // Multipart uploads are not supported; up to its part size the library sends one request.
  'lib-storage': (Key: string, { path, size }: ClientFile) =>
    new Upload({ client: s3, params: { Bucket, Key, Body: createReadStream(path) }, partSize: Math.max(size + 1, 5 * 1024 * 1024) }).done(),
}

const cases = clientSizes.flatMap((size) => (['client-s3', 'lib-storage'] as const).map((library) => [size, library] as const))

test.each(cases)('%i bytes put by %s, with its own checksums, come back byte for byte', { timeout: 120_000 }, async (size, library) => {
  const file = files.find((candidate) => candidate.size === size)
  if (!file) throw new Error(`no file of ${size} bytes`)
  const Key = `${library}/${size}`
  expect(await putters[library](Key, file)).toMatchObject({ VersionId: expect.any(String) })
  const whole = await s3.send(new GetObjectCommand({ Bucket, Key }))
  expect(whole.ContentLength).toBe(size)
  expect(await sha256OfStream(whole.Body as Readable)).toBe(file.sha256)
  const part = await s3.send(new GetObjectCommand({ Bucket, Key, Range: clientRange.header }))
  expect(part.ContentRange).toBe(`bytes ${clientRange.start}-${clientRange.end}/${size}`)
  expect(Buffer.from((await part.Body?.transformToByteArray()) ?? []).equals(file.part)).toBe(true)
})

test('the listing has the uploaded objects with their sizes', async () => {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }))
  expect(Contents.map(({ Key, Size }) => [Key, Size]).toSorted()).toEqual(
    cases.map(([size, library]) => [`${library}/${size}`, size]).toSorted(),
  )
})
