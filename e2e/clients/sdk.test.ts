import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'
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
  // Uploads in parts of 5 MiB.
  'lib-storage': (Key: string, { path }: ClientFile) =>
    new Upload({ client: s3, params: { Bucket, Key, Body: createReadStream(path) } }).done(),
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

test('a large object is copied in ranges, and an upload that was given up leaves nothing', { timeout: 120_000 }, async () => {
  const file = files.at(-1)
  if (!file) throw new Error('no file')
  const Key = 'copied in ranges'
  const place = { Bucket, Key, UploadId: (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId ?? '' }
  const half = file.size / 2
  const Parts = await Promise.all(
    [0, 1].map(async (at) => {
      const CopySourceRange = `bytes=${at * half}-${(at + 1) * half - 1}`
      const CopySource = `${Bucket}/lib-storage/${file.size}`
      const copied = await s3.send(new UploadPartCopyCommand({ ...place, PartNumber: at + 1, CopySource, CopySourceRange }))
      return { PartNumber: at + 1, ETag: copied.CopyPartResult?.ETag }
    }),
  )
  expect((await s3.send(new ListPartsCommand(place))).Parts).toMatchObject(Parts)
  await s3.send(new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts } }))
  const whole = await s3.send(new GetObjectCommand({ Bucket, Key }))
  expect(await sha256OfStream(whole.Body as Readable)).toBe(file.sha256)
  expect(await s3.send(new HeadObjectCommand({ Bucket, Key, PartNumber: 2 }))).toMatchObject({ PartsCount: 2, ContentLength: half })

  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'given up' }))
  expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads).toMatchObject([{ Key: 'given up', UploadId }])
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'given up', UploadId }))
  expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).toEqual([])
})
