import type { S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { largePart, multipartClient, type Place } from '../testing/multipart-client.ts'
import type { RawAnswer } from '../testing/raw-exchange.ts'
import { owner, startStoredServer } from '../testing/test-server.ts'
import { encodeForm, exactPolicy, signForm } from '../testing/upload-form.ts'

const Bucket = 'sizes'
const mib = 1024 * 1024
const bytesMin = 10
const bytesMax = 8 * mib
const smallText = 'small'
const large = Buffer.alloc(bytesMax + 1)

let server: Awaited<ReturnType<typeof startStoredServer>>
let client: S3Client
let uploads: ReturnType<typeof multipartClient>
const places: Record<string, Place> = {}
const parts: Record<string, Awaited<ReturnType<typeof uploads.put>>[]> = {}

beforeAll(async () => {
  const sizes = { bytesMin: 0, bytesMax: 16 * mib }
  server = await startStoredServer({ storage: { sizes } })
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  client = server.client()
  uploads = multipartClient(client, Bucket)
  await server.send({ method: 'PUT', url: '/sizes/small', user: owner, body: smallText })
  await server.send({ method: 'PUT', url: '/sizes/large', user: owner, body: large })
  for (const [key, bodies] of [
    ['small-upload', [smallText]],
    ['large-upload', [largePart, largePart]],
  ] as const) {
    const place = await uploads.create(key)
    places[key] = place
    parts[key] = []
    for (const [at, body] of bodies.entries()) parts[key].push(await uploads.put(place, at + 1, body))
  }
  // The limits were changed after these were stored.
  Object.assign(sizes, { bytesMin, bytesMax })
})

afterAll(async () => {
  client.destroy()
  await server.storage.expectSound()
  await server[Symbol.asyncDispose]()
})

const put = (body: string | Buffer) => server.send({ method: 'PUT', url: '/sizes/put', user: owner, body })

const copy = (key: string) =>
  server.send({ method: 'PUT', url: '/sizes/copy', user: owner, headers: { 'x-amz-copy-source': `/sizes/${key}` } })

const copyPart = (key: string) => {
  const url = `/sizes/large-upload?partNumber=3&uploadId=${places['large-upload']?.UploadId}`
  return server.send({ method: 'PUT', url, user: owner, headers: { 'x-amz-copy-source': `/sizes/${key}` } })
}

/** Refused before the body is read. */
const putPart = (bytes: number) => {
  const url = `/sizes/large-upload?partNumber=3&uploadId=${places['large-upload']?.UploadId}`
  const unsignedHeaders = { expect: '100-continue', 'content-length': String(bytes) }
  return server.send({ method: 'PUT', url, user: owner, payload: 'UNSIGNED-PAYLOAD', unsignedHeaders })
}

const complete = (key: string) => {
  const listed = parts[key]?.map(({ PartNumber, ETag }) => `<Part><PartNumber>${PartNumber}</PartNumber><ETag>${ETag}</ETag></Part>`)
  const body = `<CompleteMultipartUpload>${listed?.join('')}</CompleteMultipartUpload>`
  return server.send({ method: 'POST', url: `/sizes/${key}?uploadId=${places[key]?.UploadId}`, user: owner, body })
}

/** The length of the file in a form is not declared. `range`: of the policy. */
const post = (bytes: string | Buffer, range?: readonly [number, number]) => {
  const fields = { key: 'posted' }
  const signing = [
    ['starts-with', '$x-amz-algorithm', ''],
    ['starts-with', '$x-amz-credential', ''],
    ['starts-with', '$x-amz-date', ''],
  ]
  const policy = exactPolicy(fields, Bucket, Date.now(), [...signing, ...(range ? [['content-length-range', ...range]] : [])])
  const { headers, body } = encodeForm(signForm({ user: owner, bucket: Bucket, fields, policy }), { bytes })
  const lines = Object.entries({ host: `127.0.0.1:${server.port}`, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return server.sendRaw(`POST /sizes HTTP/1.1\r\n${lines.join('')}\r\n`, body)
}

const sizesIn = ({ body }: RawAnswer) =>
  Object.fromEntries(
    [...body.matchAll(/<(ProposedSize|MinSizeAllowed|MaxSizeAllowed)>(\d+)</g)].map(([, name, size]) => [name, Number(size)]),
  )

const tooSmall = { ProposedSize: 5, MinSizeAllowed: bytesMin }
const tooLarge = (ProposedSize: number) => ({ ProposedSize, MaxSizeAllowed: bytesMax })

test.each<[string, () => Promise<RawAnswer>, string, Record<string, number>]>([
  ['a small object', () => put(smallText), 'EntityTooSmall', tooSmall],
  ['a large object', () => put(large), 'EntityTooLarge', tooLarge(large.length)],
  ['a copy of a small object', () => copy('small'), 'EntityTooSmall', tooSmall],
  ['a copy of a large object', () => copy('large'), 'EntityTooLarge', tooLarge(large.length)],
  ['a part copied from a large object', () => copyPart('large'), 'EntityTooLarge', tooLarge(large.length)],
  ['a large part', () => putPart(large.length), 'EntityTooLarge', tooLarge(large.length)],
  ['an upload of few bytes', () => complete('small-upload'), 'EntityTooSmall', tooSmall],
  ['an upload of many bytes', () => complete('large-upload'), 'EntityTooLarge', tooLarge(2 * largePart.length)],
  ['a small file of a form', () => post(smallText), 'EntityTooSmall', tooSmall],
  [
    'a small file for the policy of its form',
    () => post('x'.repeat(20), [30, 40]),
    'EntityTooSmall',
    { ProposedSize: 20, MinSizeAllowed: 30 },
  ],
  // The form may have more bytes than were read when it was refused.
  ['a large file of a form', () => post(large), 'EntityTooLarge', { MaxSizeAllowed: bytesMax }],
  ['a large file for the policy of its form', () => post('x'.repeat(50), [30, 40]), 'EntityTooLarge', { MaxSizeAllowed: 40 }],
])('the refusal of %s has the limit, and the size if it is known', async (_, send, code, sizes) => {
  const answer = await send()
  expect(answer).toMatchObject({ status: 400, code })
  expect(sizesIn(answer)).toEqual(sizes)
})
