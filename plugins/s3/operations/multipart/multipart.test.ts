import { createHash, hash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  type CompleteMultipartUploadCommandInput,
  CopyObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { largePart, multipartClient, type Place } from '../../testing/multipart-client.ts'
import { admin, owner, plain, startStoredServer } from '../../testing/test-server.ts'

const Bucket = 'uploads'
let server: Awaited<ReturnType<typeof startStoredServer>>
let client: S3Client
let uploads: ReturnType<typeof multipartClient>

beforeAll(async () => {
  server = await startStoredServer({ settings: { virtual_host_domains: ['s3.test'] } })
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  client = server.client()
  uploads = multipartClient(client, Bucket)
})

afterAll(async () => {
  client.destroy()
  await server.storage.expectSound()
  await server[Symbol.asyncDispose]()
})

const md5 = (bytes: string | Buffer) => createHash('md5').update(bytes).digest()
const etagOf = (parts: readonly (string | Buffer)[]) => `"${md5(Buffer.concat(parts.map(md5))).toString('hex')}-${parts.length}"`
const head = (Key: string, PartNumber?: number) => client.send(new HeadObjectCommand({ Bucket, Key, ...(PartNumber && { PartNumber }) }))
const abort = (place: Place, IfMatchInitiatedTime?: Date) =>
  client.send(new AbortMultipartUploadCommand({ ...place, ...(IfMatchInitiatedTime && { IfMatchInitiatedTime }) }))
const noSuchUpload = (UploadId: string) => ({ name: 'NoSuchUpload', $metadata: { httpStatusCode: 404 }, UploadId })

test('parts in any order become one object with the headers of the creation', async () => {
  const Key = 'a/ü &<b>'
  const headers = { ContentType: 'text/x', CacheControl: 'no-store', Metadata: { colour: 'blue' } }
  const place = await uploads.create(Key, headers)
  const last = await uploads.put(place, 30, 'the end')
  const first = await uploads.put(place, 2, largePart)
  await uploads.put(place, 7, 'not listed')
  expect(first.ETag).toBe(`"${md5(largePart).toString('hex')}"`)
  await expect(head(Key)).rejects.toMatchObject({ name: 'NotFound' })
  const made = await uploads.complete(place, [first, last])
  expect(made).toMatchObject({
    Bucket,
    Key,
    ETag: etagOf([largePart, 'the end']),
    VersionId: expect.any(String),
    Location: `${server.url}/${Bucket}/a/%C3%BC%20%26%3Cb%3E`,
  })
  expect(await head(Key)).toMatchObject({ ...headers, ETag: made.ETag, VersionId: made.VersionId, ContentLength: largePart.length + 7 })
  expect(await head(Key, 2)).toMatchObject({ ContentLength: 7, PartsCount: 2 })
  expect((await uploads.bytes(Key)).equals(Buffer.concat([largePart, Buffer.from('the end')]))).toBe(true)
})

test('the location of an object is the URL of the request, also when the host names the bucket', async () => {
  const place = await uploads.create('by host')
  const { ETag } = await uploads.put(place, 1, 'bytes')
  const answer = await server.send({
    method: 'POST',
    url: `/by%20host?uploadId=${place.UploadId}`,
    user: owner,
    headers: { host: `${Bucket}.s3.test` },
    body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${ETag}</ETag></Part></CompleteMultipartUpload>`,
  })
  expect(answer.body).toContain(`<Location>http://${Bucket}.s3.test/by%20host</Location>`)
})

test('a part that is uploaded again replaces the former one', async () => {
  const place = await uploads.create('again')
  const former = await uploads.put(place, 1, 'former')
  const newer = await uploads.put(place, 1, 'newer')
  await expect(uploads.complete(place, [former])).rejects.toMatchObject({ name: 'InvalidPart' })
  await uploads.complete(place, [newer])
  expect((await uploads.bytes('again')).toString()).toBe('newer')
})

type Named = (parts: readonly CompletedPart[]) => CompletedPart[]
const another = `"${'0'.repeat(32)}"`
const refusals: [string, Named, Partial<CompleteMultipartUploadCommandInput>, Record<string, unknown>][] = [
  ['no parts', () => [], {}, { name: 'MalformedXML' }],
  ['an unknown part', ([one]) => [{ ...one, PartNumber: 7 }], {}, { name: 'InvalidPart', PartNumber: '7' }],
  ['another ETag', ([one]) => [{ ...one, ETag: another }], {}, { name: 'InvalidPart', PartNumber: '1', ETag: '0'.repeat(32) }],
  ['another checksum', ([one]) => [{ ...one, ChecksumCRC32: 'AAAAAA==' }], {}, { name: 'InvalidPart', PartNumber: '1' }],
  ['descending parts', (parts) => parts.toReversed(), {}, { name: 'InvalidPartOrder' }],
  ['a part twice', ([one]) => (one ? [one, one] : []), {}, { name: 'InvalidPartOrder' }],
  ['the part number 0', ([one]) => [{ ...one, PartNumber: 0 }], {}, { name: 'InvalidArgument', ArgumentName: 'PartNumber' }],
  ['the part number 10,001', ([one]) => [{ ...one, PartNumber: 10_001 }], {}, { name: 'InvalidArgument', ArgumentValue: '10001' }],
  [
    'a small part before the last',
    (parts) => [...parts],
    {},
    { name: 'EntityTooSmall', PartNumber: '1', ProposedSize: '5', MinSizeAllowed: '5242880', ETag: md5('first').toString('hex') },
  ],
  ['another size', ([one]) => (one ? [one] : []), { MpuObjectSize: 6 }, { name: 'InvalidRequest' }],
  [
    'an ETag that no object has',
    ([one]) => (one ? [one] : []),
    { IfMatch: another },
    { name: 'NoSuchKey', $metadata: { httpStatusCode: 404 } },
  ],
]

test.each(refusals)('a completion with %s is refused, and the upload stays open', async (what, named, more, expected) => {
  const place = await uploads.create(`refused ${what}`)
  const parts = [await uploads.put(place, 1, 'first'), await uploads.put(place, 2, 'second')]
  const status = expected.$metadata ? {} : { $metadata: { httpStatusCode: 400 } }
  const id = expected.name === 'InvalidPart' ? { UploadId: place.UploadId } : {}
  await expect(uploads.complete(place, named(parts), more)).rejects.toMatchObject({ ...expected, ...status, ...id })
  await uploads.complete(place, parts.slice(0, 1), { MpuObjectSize: 5 })
  expect((await uploads.bytes(place.Key)).toString()).toBe('first')
})

test('a body that is not the document is refused', async () => {
  const { UploadId } = await uploads.create('body')
  const send = (body: string) => server.send({ method: 'POST', url: `/${Bucket}/body?uploadId=${UploadId}`, user: owner, body })
  for (const body of ['<Delete/>', 'text', '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>']) {
    expect(await send(body)).toMatchObject({ status: 400, code: 'MalformedXML' })
  }
  expect(await server.send({ method: 'POST', url: `/${Bucket}/body?uploadId=${UploadId}`, user: owner })).toMatchObject({
    status: 411,
    code: 'MissingContentLength',
  })
  await abort({ Bucket, Key: 'body', UploadId })
})

test('a repeated completion gives the same answer, also with a condition that the object fulfils no more', async () => {
  const place = await uploads.create('repeated', { ChecksumAlgorithm: 'SHA256' })
  const parts = [await uploads.put(place, 1, 'bytes', { ChecksumAlgorithm: 'SHA256' })]
  const send = () => uploads.complete(place, parts, { IfNoneMatch: '*' })
  const [{ $metadata: _1, ...first }, { $metadata: _2, ...again }] = [await send(), await send()]
  expect(first.ChecksumSHA256).toMatch(/-1$/)
  expect(again).toEqual(first)
  await expect(uploads.complete(place, [{ PartNumber: 1, ETag: another }])).rejects.toMatchObject(noSuchUpload(place.UploadId))
  await expect(uploads.put(place, 2, 'late')).rejects.toMatchObject(noSuchUpload(place.UploadId))
  await expect(uploads.parts(place)).rejects.toMatchObject(noSuchUpload(place.UploadId))
  await expect(abort(place)).rejects.toMatchObject(noSuchUpload(place.UploadId))
})

test('the write conditions are those of the current object', async () => {
  const complete = async (more: Partial<CompleteMultipartUploadCommandInput>) => {
    const place = await uploads.create('conditions')
    return uploads.complete(place, [await uploads.put(place, 1, 'bytes')], more)
  }
  const { ETag = '' } = await complete({ IfNoneMatch: '*' })
  const failed = { name: 'PreconditionFailed', $metadata: { httpStatusCode: 412 } }
  await expect(complete({ IfNoneMatch: '*' })).rejects.toMatchObject({ ...failed, Condition: 'If-None-Match' })
  await expect(complete({ IfMatch: another })).rejects.toMatchObject({ ...failed, Condition: 'If-Match' })
  await complete({ IfMatch: ETag })
})

test('of many completions of new uploads of a key with If-None-Match, one succeeds', async () => {
  const places = await Promise.all(Array.from({ length: 6 }, () => uploads.create('raced')))
  const ready = await Promise.all(places.map(async (place) => ({ place, part: await uploads.put(place, 1, 'bytes') })))
  const tries = await Promise.allSettled(ready.map(({ place, part }) => uploads.complete(place, [part], { IfNoneMatch: '*' })))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ name: 'PreconditionFailed' })
})

test('an aborted upload is not found, and its parts need no space', async () => {
  const before = server.storage.cache.stats().usedBytes
  const place = await uploads.create('aborted')
  const part = await uploads.put(place, 1, 'bytes of an aborted upload')
  expect(server.storage.cache.stats().usedBytes).toBeGreaterThan(before)
  const initiated = await initiatedAt(place)
  const failed = { name: 'PreconditionFailed', $metadata: { httpStatusCode: 412 }, Condition: 'x-amz-if-match-initiated-time' }
  await expect(abort(place, new Date(initiated.getTime() - 1000))).rejects.toMatchObject(failed)
  expect((await uploads.parts(place)).Parts).toHaveLength(1)
  expect((await abort(place, initiated)).$metadata.httpStatusCode).toBe(204)
  expect(server.storage.cache.stats().usedBytes).toBe(before)
  for (const late of [() => abort(place), () => uploads.complete(place, [part]), () => uploads.put(place, 2, 'late')]) {
    await expect(late()).rejects.toMatchObject(noSuchUpload(place.UploadId))
  }
  const url = `/${Bucket}/aborted?uploadId=x`
  const odd = await server.send({ method: 'DELETE', url, user: owner, headers: { 'x-amz-if-match-initiated-time': 'soon' } })
  expect(odd).toMatchObject({ status: 400, code: 'InvalidArgument' })
})

async function initiatedAt({ Key, UploadId }: Place): Promise<Date> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }))
  return Uploads.find((upload) => upload.UploadId === UploadId)?.Initiated ?? new Date(0)
}

test('an upload belongs to its key and bucket', async () => {
  await server.storage.buckets.create({ name: 'other-bucket', ownerAccessKey: owner.accessKey })
  const place = await uploads.create('mine')
  const part = await uploads.put(place, 1, 'bytes')
  for (const wrong of [{ Key: 'other' }, { Bucket: 'other-bucket' }, { UploadId: 'unknown' }]) {
    const other = { ...place, ...wrong }
    const calls = [
      () => uploads.put(other, 1, 'x'),
      () => uploads.complete(other, [part]),
      () => uploads.parts(other),
      () => uploads.parts(other, { MaxParts: 0 }),
      () => abort(other),
      () => client.send(new UploadPartCopyCommand({ ...other, PartNumber: 1, CopySource: `${Bucket}/again` })),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject(noSuchUpload(other.UploadId))
  }
  await uploads.complete(place, [part])
})

test.each(['0', '10001', '-1', 'x', '1e3', ''])('the part number "%s" is refused', async (number) => {
  const url = `/${Bucket}/k?partNumber=${number}&uploadId=u`
  for (const headers of [{}, { 'x-amz-copy-source': `/${Bucket}/again` }]) {
    const answer = await server.send({ method: 'PUT', url, user: owner, body: 'x', headers })
    expect(answer).toMatchObject({ status: 400, code: 'InvalidArgument' })
  }
})

test('a part with wrong bytes or headers is refused, and stores nothing', async () => {
  const place = await uploads.create('wrong')
  const url = `/${Bucket}/wrong?partNumber=1&uploadId=${place.UploadId}`
  const attempts: [Parameters<typeof server.send>[0]['headers'], number, string][] = [
    [{ 'content-md5': md5('other').toString('base64') }, 400, 'BadDigest'],
    [{ 'x-amz-checksum-crc32': 'AAAAAA==' }, 400, 'BadDigest'],
    [{ 'x-amz-server-side-encryption-customer-algorithm': 'AES256' }, 501, 'NotImplemented'],
  ]
  for (const [headers = {}, status, code] of attempts) {
    expect(await server.send({ method: 'PUT', url, user: owner, body: 'bytes', headers })).toMatchObject({ status, code })
  }
  const tooLarge = { method: 'PUT', url, user: owner, payload: 'UNSIGNED-PAYLOAD' } as const
  const announced = { expect: '100-continue', 'content-length': '1065353217' }
  expect(await server.send({ ...tooLarge, unsignedHeaders: announced })).toMatchObject({ wasContinued: false, code: 'EntityTooLarge' })
  expect((await uploads.parts(place)).Parts ?? []).toEqual([])
  await abort(place)
})

test('an upload with headers that are not implemented is not created', async () => {
  await expect(uploads.create('k', { StorageClass: 'GLACIER' })).rejects.toMatchObject({ name: 'InvalidStorageClass' })
  await expect(uploads.create('k', { ServerSideEncryption: 'AES256' })).rejects.toMatchObject({ name: 'NotImplemented' })
  await expect(uploads.create('k', { Metadata: { a: 'v'.repeat(2048) } })).rejects.toMatchObject({ name: 'MetadataTooLarge' })
})

test('parts are listed in pages, with the user who created the upload', async () => {
  const place = await uploads.create('listed', { ChecksumAlgorithm: 'CRC32C' })
  for (const number of [4, 1, 9]) await uploads.put(place, number, 'x'.repeat(number), { ChecksumAlgorithm: 'CRC32C' })
  const all = await uploads.parts(place)
  expect(all).toMatchObject({
    ...place,
    PartNumberMarker: '0',
    NextPartNumberMarker: '9',
    MaxParts: 1000,
    IsTruncated: false,
    Initiator: { ID: owner.ownerId, DisplayName: owner.ownerId },
    Owner: { ID: owner.ownerId, DisplayName: owner.ownerId },
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: 'CRC32C',
    ChecksumType: 'COMPOSITE',
  })
  expect(all.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
    [1, 1],
    [4, 4],
    [9, 9],
  ])
  const [part] = all.Parts ?? []
  expect(part).toMatchObject({
    ETag: `"${hash('md5', 'x')}"`,
    LastModified: expect.any(Date),
    ChecksumCRC32C: expect.stringMatching(/^.{6}==$/),
  })
  const page = await uploads.parts(place, { MaxParts: 2 })
  expect(page).toMatchObject({ IsTruncated: true, NextPartNumberMarker: '4', MaxParts: 2 })
  const rest = await uploads.parts(place, { PartNumberMarker: '4' })
  expect(rest).toMatchObject({ IsTruncated: false, PartNumberMarker: '4', Parts: [{ PartNumber: 9 }] })
  const past = await uploads.parts(place, { PartNumberMarker: '9999999999' })
  expect(past).toMatchObject({ IsTruncated: false, PartNumberMarker: '10000' })
  expect(past.Parts).toBeUndefined()
  expect(await uploads.parts(place, { MaxParts: 0 })).toMatchObject({ IsTruncated: false, MaxParts: 0 })
  await expect(uploads.parts(place, { MaxParts: -1 })).rejects.toMatchObject({ name: 'InvalidArgument' })
  await abort(place)
})

test('uploads need permissions of their own, and an admin has them', async () => {
  const place = await uploads.create('guarded')
  const part = await uploads.put(place, 1, 'bytes')
  const send = async (user: typeof plain) => {
    const other = server.client(user)
    const theirs = multipartClient(other, Bucket)
    const results = await Promise.allSettled([
      theirs.create('new').then((made) => abort(made)),
      theirs.put(place, 2, 'x'),
      other.send(new UploadPartCopyCommand({ ...place, PartNumber: 3, CopySource: `${Bucket}/again` })),
      theirs.parts(place),
      other.send(new ListMultipartUploadsCommand({ Bucket })),
    ])
    const ends = await Promise.allSettled([
      theirs.complete(place, [part]),
      // After the completion the admin finds no upload.
      other.send(new AbortMultipartUploadCommand({ ...place, UploadId: 'unknown' })),
    ])
    other.destroy()
    return [...results, ...ends].map((result) => (result.status === 'fulfilled' ? 'done' : (result.reason as Error)))
  }
  const actions = ['PutObject', 'PutObject', 'PutObject', 'ListMultipartUploadParts', 'ListBucketMultipartUploads', 'PutObject']
  expect(await send(plain)).toMatchObject(
    [...actions, 'AbortMultipartUpload'].map((action) => ({ name: 'AccessDenied', message: expect.stringContaining(`s3:${action} on`) })),
  )
  expect(await send(admin)).toMatchObject([...actions.map(() => 'done'), noSuchUpload('unknown')])
})

test('uploads can be copied after their completion, with their parts', async () => {
  const place = await uploads.create('copied')
  const { ETag } = await uploads.complete(place, [await uploads.put(place, 1, 'bytes')])
  const { CopyObjectResult } = await client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/copied` }))
  expect(CopyObjectResult?.ETag).toBe(ETag)
  expect(await head('copy', 1)).toMatchObject({ PartsCount: 1, ContentLength: 5 })
})

test('an upload without parts has an empty list, and none of the key remains after its end', async () => {
  const place = await uploads.create('none')
  await expect(client.send(new ListPartsCommand({ ...place, MaxParts: 1 }))).resolves.toMatchObject({ IsTruncated: false })
  await abort(place)
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'none' }))
  expect(Uploads).toEqual([])
})
