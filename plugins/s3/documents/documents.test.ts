import { array, assert, boolean, constantFrom, integer, option, property, record, string, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { accessControlDocument } from './access-control-list.ts'
import { corsDocument } from './cors-configuration.ts'
import { createBucketDocument } from './create-bucket-configuration.ts'
import { errorDocument } from './error.ts'
import { bucketListDocument } from './list-buckets.ts'
import { versionListDocument } from './list-object-versions.ts'
import { objectListV1Document } from './list-objects-v1.ts'
import { objectListV2Document } from './list-objects-v2.ts'
import { locationDocument } from './location-constraint.ts'
import { taggingDocument } from './tagging.ts'
import { versioningDocument } from './versioning-configuration.ts'
import type { XmlDocument } from './xml-document.ts'

/** XML has no other control characters; clients ask for the url encoding. */
const text = string({ unit: 'grapheme', maxLength: 20 })
const anyKey = string({ unit: 'binary', maxLength: 20 }).filter((key) => !key.includes('\ufffd') && key.isWellFormed())
const name = stringMatching(/^[A-Za-z0-9.-]{1,20}$/)
const timeMs = integer({ min: 0, max: 4_000_000_000_000 })
const count = integer({ min: 0, max: 1_065_353_216 })
const optional = { nil: undefined }

const listOf = (key: typeof text) => ({
  bucket: name,
  prefix: key,
  delimiter: key,
  maxKeys: count,
  isTruncated: boolean(),
  commonPrefixes: array(key, { maxLength: 3 }),
})
const objectList = (key: typeof text, encodingType: 'url' | undefined) => ({
  ...listOf(key),
  encodingType: constantFrom(encodingType),
  entries: array(record({ key, lastModifiedMs: timeMs, etag: name, size: count }), { minLength: 1, maxLength: 3 }),
  owner: option(name, optional),
})
const v1 = (key: typeof text, encodingType: 'url' | undefined) =>
  record({ ...objectList(key, encodingType), marker: key, nextMarker: option(key, optional) })
const v2 = (key: typeof text, encodingType: 'url' | undefined) =>
  record({
    ...objectList(key, encodingType),
    continuationToken: option(name, optional),
    nextContinuationToken: option(name, optional),
    startAfter: option(key, optional),
  })
const version = (key: typeof text) =>
  record({ key, versionId: name, isCurrent: boolean(), isDeleteMarker: boolean(), createdAtMs: timeMs, etag: name, size: count }).map(
    (one) => (one.isDeleteMarker ? { ...one, etag: '', size: 0 } : one),
  )
const versions = (key: typeof text, encodingType: 'url' | undefined) =>
  record({
    ...listOf(key),
    keyMarker: key,
    versionIdMarker: text,
    next: option(record({ key, versionId: option(name, optional) }), optional),
    encodingType: constantFrom(encodingType),
    versions: array(version(key), { minLength: 1, maxLength: 3 }),
    owner: name,
  })

const pairs = [
  [
    'ListAllMyBucketsResult',
    bucketListDocument,
    record({
      owner: name,
      buckets: array(record({ name, createdAtMs: timeMs, region: name })),
      continuationToken: option(text, optional),
      prefix: option(text, optional),
    }),
  ],
  ['ListBucketResult of version 1', objectListV1Document, v1(text, undefined)],
  ['ListBucketResult of version 1 with url encoding', objectListV1Document, v1(anyKey, 'url')],
  ['ListBucketResult of version 2', objectListV2Document, v2(text, undefined)],
  ['ListBucketResult of version 2 with url encoding', objectListV2Document, v2(anyKey, 'url')],
  ['ListVersionsResult', versionListDocument, versions(text, undefined)],
  ['ListVersionsResult with url encoding', versionListDocument, versions(anyKey, 'url')],
  ['LocationConstraint', locationDocument, name],
  [
    'CreateBucketConfiguration',
    createBucketDocument,
    record({
      locationConstraint: option(name, optional),
      tags: array(record({ key: text, value: text }), { maxLength: 3 }),
    }),
  ],
  [
    'AccessControlPolicy',
    accessControlDocument,
    record({
      owner: name,
      grants: array(
        record({
          grantee: record({ type: constantFrom('CanonicalUser' as const, 'Group' as const, 'AmazonCustomerByEmail' as const), name: text }),
          permission: name,
        }),
        { maxLength: 3 },
      ),
    }),
  ],
  [
    'CORSConfiguration',
    corsDocument,
    array(
      record({
        id: option(text, optional),
        origins: array(text),
        methods: array(name),
        headers: array(name),
        exposed: array(name),
        maxAgeSeconds: option(count, optional),
      }),
    ),
  ],
  ['Tagging', taggingDocument, array(record({ key: text, value: text }), { maxLength: 3 })],
  [
    'VersioningConfiguration',
    versioningDocument,
    record({
      status: constantFrom('Enabled' as const, 'Suspended' as const, undefined),
      mfaDelete: constantFrom('Enabled' as const, 'Disabled' as const, undefined),
    }),
  ],
] as const

test.each(pairs)('a %s is read back as written, with and without its namespace', async (_, document, values) => {
  const pair = document as XmlDocument<unknown>
  await assert(
    property(values as typeof text, (value) => {
      const written = pair.write(value)
      expect(pair.parse(Buffer.from(written))).toEqual(value)
      expect(pair.parse(Buffer.from(written.replace(/ xmlns="[^"]*"/, '')))).toEqual(value)
    }),
    { numRuns: 50 },
  )
})

test('an error document has code, extras and request ID, and no namespace', () => {
  const error = { code: 'NoSuchKey', message: 'The specified key does not exist.', extras: { Key: 'a&b' } }
  const value = { error, resource: '/b/a&b', requestId: 'R', hostId: 'H' }
  const document = errorDocument.write(value)
  expect(document).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message>' +
      '<Key>a&amp;b</Key><Resource>/b/a&amp;b</Resource><RequestId>R</RequestId><HostId>H</HostId></Error>',
  )
  expect(errorDocument.parse(Buffer.from(document))).toEqual(value)
})

test.each([
  ['another root', versioningDocument, '<Delete/>'],
  ['an unknown status', versioningDocument, '<VersioningConfiguration><Status>On</Status></VersioningConfiguration>'],
  [
    'a tag without a value',
    createBucketDocument,
    '<CreateBucketConfiguration><Tags><Tag><Key>a</Key></Tag></Tags></CreateBucketConfiguration>',
  ],
  ['a size that is not a number', objectListV2Document, listWith('<Size>1e3</Size>')],
  ['a time that is not one', objectListV2Document, listWith('<Size>1</Size>', 'yesterday')],
  ['a flag that is not one', objectListV2Document, listWith('<Size>1</Size>', '2026-01-01T00:00:00.000Z', 'maybe')],
  ['a key with a broken url encoding', objectListV2Document, listWith('<Size>1</Size>').replace('<Key>k', '<Key>%4')],
] as const)('a document with %s is refused', (_, document, xml) => {
  expect(() => document.parse(Buffer.from(xml))).toThrow(expect.objectContaining({ code: 'MalformedXML' }))
})

function listWith(size: string, modified = '2026-01-01T00:00:00.000Z', isTruncated = 'false'): string {
  const entry = `<Contents><Key>k</Key><LastModified>${modified}</LastModified><ETag>"e"</ETag>${size}</Contents>`
  return `<ListBucketResult><Name>b</Name><MaxKeys>1</MaxKeys><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${entry}</ListBucketResult>`
}
