import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noStoredSettings, owner, startStoredServer } from '../../testing/test-server.ts'
import { readHeaders } from '../../wire/headers.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { uploadPartCopy } from '../multipart/upload-part-copy.ts'
import type { Operation } from '../operation.ts'
import { copyObject } from './copy-object.ts'
import { getObject } from './get-object.ts'
import { getObjectAttributes } from './get-object-attributes.ts'
import { headObject } from './head-object.ts'
import { getObjectAcl, putObjectAcl } from './object-acl.ts'
import { deleteObjectTagging, getObjectTagging } from './object-tagging.ts'

let server: Awaited<ReturnType<typeof startStoredServer>>
let Bucket: string

beforeAll(async () => {
  server = await startStoredServer()
  Bucket = await server.newBucket()
  const client = server.client()
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'bytes' }))
  client.destroy()
})

afterAll(() => server[Symbol.asyncDispose]())

const copy = ['x-amz-copy-source', '/BUCKET/k']

test.each([
  ['GetObject', getObject, []],
  ['GetObject with a condition', getObject, ['if-none-match', '"x"']],
  ['HeadObject', headObject, []],
  ['GetObjectAttributes', getObjectAttributes, ['x-amz-object-attributes', 'ETag']],
  ['GetObjectAcl', getObjectAcl, []],
  ['PutObjectAcl', putObjectAcl, ['x-amz-acl', 'private']],
  ['GetObjectTagging', getObjectTagging, []],
  ['DeleteObjectTagging', deleteObjectTagging, []],
  ['CopyObject', copyObject, copy],
  ['UploadPartCopy', uploadPartCopy, copy],
] as const)('%s uses no version for which the permission is not confirmed', async (...[, handler, headers]) => {
  const operation: Operation = handler
  if (operation.scope !== 'object') throw new Error('an operation of objects is expected')
  const { storage } = server
  const place = { bucket: Bucket, key: 'target' }
  const upload = await storage.uploads.create({
    ...place,
    headers: { contentType: '', system: {}, user: {} },
    checksumAlgorithm: null,
    checksumType: null,
    initiator: owner.ownerId,
  })
  const isCopy = headers[0] === 'x-amz-copy-source'
  const confirmed: string[] = []
  const { run } = operation
  const answer = async () =>
    run(
      {
        method: 'GET',
        query: new Map(
          isCopy
            ? [
                ['uploadId', upload.id],
                ['partNumber', '1'],
              ]
            : [],
        ),
        headers: readHeaders(headers.map((text) => text.replace('BUCKET', Bucket))),
        resourceUrl: 'http://localhost/',
        caller: owner,
        now: Date.now(),
        bucket: storage.buckets.require(Bucket),
        key: isCopy ? 'target' : 'k',
        async require() {},
        async confirm(_bucket, { key }) {
          confirmed.push(key)
          throw new S3Error('AccessDenied')
        },
        clientSignal: () => AbortSignal.any([]),
        holdMemory: () => {},
        openBody: () => Promise.reject(new Error('no body is expected')),
      },
      { ...storage, ...noStoredSettings },
    )
  await expect(answer()).rejects.toMatchObject({ code: 'AccessDenied' })
  expect(confirmed).toEqual(['k'])
  expect(storage.openCount()).toBe(0)
  expect(await storage.objects.find(Bucket, 'target')).toBeUndefined()
})
