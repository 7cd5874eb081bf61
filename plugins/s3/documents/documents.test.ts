import { array, assert, boolean, constantFrom, integer, oneof, option, property, record, string, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { permissions } from '../wire/access-list-policy.ts'
import { accessControlDocument } from './access-control-list.ts'
import { completedUploadDocument, completeUploadDocument } from './complete-multipart-upload.ts'
import { copyPartResultDocument, copyResultDocument } from './copy-result.ts'
import { corsDocument } from './cors-configuration.ts'
import { createBucketDocument } from './create-bucket-configuration.ts'
import { deleteDocument } from './delete.ts'
import { deleteResultDocument } from './delete-result.ts'
import { errorDocument } from './error.ts'
import { createdUploadDocument } from './initiate-multipart-upload.ts'
import { lifecycleDocument } from './lifecycle-configuration.ts'
import { bucketListDocument } from './lists/list-buckets.ts'
import { uploadListDocument } from './lists/list-multipart-uploads.ts'
import { versionListDocument } from './lists/list-object-versions.ts'
import { objectListV1Document } from './lists/list-objects-v1.ts'
import { objectListV2Document } from './lists/list-objects-v2.ts'
import { partListDocument } from './lists/list-parts.ts'
import { locationDocument } from './location-constraint.ts'
import { attributesDocument } from './object-attributes.ts'
import { ownershipControlsDocument } from './ownership-controls.ts'
import { postResponseDocument } from './post-response.ts'
import { publicAccessBlockDocument } from './public-access-block.ts'
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
const checksum = constantFrom(null, 'crc32', 'sha512-', 'xxhash128')
const checksums = constantFrom(
  {},
  { crc32: 'AAAAAA==' },
  { sha256: `${'A'.repeat(43)}=-3` },
  { xxhash3: 'AAAAAAAAAAA=' },
  { crc64nvme: 'AAAAAAAAAAA=' },
)

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
  entries: array(record({ key, lastModifiedMs: timeMs, etag: name, size: count, checksum }), { minLength: 1, maxLength: 3 }),
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
  record({
    key,
    versionId: name,
    isCurrent: boolean(),
    isDeleteMarker: boolean(),
    createdAtMs: timeMs,
    etag: name,
    size: count,
    checksum,
  }).map((one) => (one.isDeleteMarker ? { ...one, etag: '', size: 0, checksum: null } : one))
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

const uploadFacts = {
  initiator: name,
  owner: name,
  checksum: constantFrom(undefined, { algorithm: 'crc32', type: 'COMPOSITE' }, { algorithm: 'crc64nvme', type: 'FULL_OBJECT' }),
}
const uploads = (key: typeof text, encodingType: 'url' | undefined) => {
  const { maxKeys: maxUploads, ...list } = listOf(key)
  return record({
    ...list,
    maxUploads,
    keyMarker: key,
    uploadIdMarker: text,
    next: option(record({ key, uploadId: option(name, optional) }), optional),
    encodingType: constantFrom(encodingType),
    uploads: array(record({ key, uploadId: name, createdAtMs: timeMs, ...uploadFacts }), { maxLength: 3 }),
  })
}

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
  ['CopyPartResult', copyPartResultDocument, record({ etag: name, lastModifiedMs: timeMs, checksums })],
  ['InitiateMultipartUploadResult', createdUploadDocument, record({ bucket: name, key: text, uploadId: name })],
  [
    'CompleteMultipartUpload',
    completeUploadDocument,
    array(record({ partNumber: count, etag: name, checksums }), { minLength: 1, maxLength: 3 }),
  ],
  ['CompleteMultipartUploadResult', completedUploadDocument, record({ location: text, bucket: name, key: text, etag: name, checksums })],
  [
    'ListPartsResult',
    partListDocument,
    record({
      bucket: name,
      key: text,
      uploadId: name,
      partNumberMarker: count,
      nextPartNumberMarker: count,
      maxParts: count,
      isTruncated: boolean(),
      parts: array(record({ partNumber: count, createdAtMs: timeMs, etag: name, size: count, checksums }), { maxLength: 3 }),
      ...uploadFacts,
    }),
  ],
  ['ListMultipartUploadsResult', uploadListDocument, uploads(text, undefined)],
  ['ListMultipartUploadsResult with url encoding', uploadListDocument, uploads(anyKey, 'url')],
  [
    'CopyObjectResult',
    copyResultDocument,
    record({
      etag: name,
      lastModifiedMs: timeMs,
      checksums,
    }),
  ],
  [
    'GetObjectAttributesResponse',
    attributesDocument,
    record({
      etag: option(name, optional),
      checksums,
      parts: option(
        record({
          partsCount: count,
          partNumberMarker: count,
          nextPartNumberMarker: count,
          maxParts: count,
          isTruncated: boolean(),
          parts: array(record({ partNumber: count, size: count, checksums }), { maxLength: 3 }),
        }),
        optional,
      ),
      storageClass: option(name, optional),
      size: option(count, optional),
    }),
  ],
  [
    'Delete',
    deleteDocument,
    record({
      objects: array(
        record({
          key: text.filter((key) => key !== ''),
          versionId: option(name, optional),
          etag: option(text, optional),
          lastModifiedMs: option(timeMs, optional),
          size: option(count, optional),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      quiet: boolean(),
    }),
  ],
  [
    'DeleteResult',
    deleteResultDocument,
    record({
      deleted: array(record({ key: text, versionId: option(name, optional), markerVersionId: option(name, optional) }), { maxLength: 3 }),
      errors: array(record({ key: text, versionId: option(name, optional), code: name, message: text }), { maxLength: 3 }),
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
          permission: constantFrom(...permissions),
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
  [
    'LifecycleConfiguration',
    lifecycleDocument,
    array(
      record({
        id: text,
        isEnabled: boolean(),
        filter: oneof(
          record({ form: constantFrom('prefix' as const), prefix: text, tags: constantFrom([]) }),
          record({
            form: constantFrom('filter' as const, 'and' as const),
            prefix: text,
            tags: array(record({ key: text, value: text })),
            sizeAbove: count,
          }),
        ),
        expiration: oneof(
          record({ kind: constantFrom('days' as const), days: count }),
          record({ kind: constantFrom('date' as const), atMs: timeMs }),
          record({ kind: constantFrom('markers' as const) }),
        ),
        noncurrent: record({ days: count, newerKept: count }),
        abortDays: count,
      }),
      { maxLength: 3 },
    ),
  ],
  [
    'OwnershipControls',
    ownershipControlsDocument,
    constantFrom('BucketOwnerEnforced' as const, 'BucketOwnerPreferred' as const, 'ObjectWriter' as const),
  ],
  ['PostResponse', postResponseDocument, record({ location: text, bucket: name, key: text, etag: name })],
  [
    'PublicAccessBlockConfiguration',
    publicAccessBlockDocument,
    record({ blockPublicAcls: boolean(), ignorePublicAcls: boolean(), blockPublicPolicy: boolean(), restrictPublicBuckets: boolean() }),
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
  [
    'an unknown ownership',
    ownershipControlsDocument,
    '<OwnershipControls><Rule><ObjectOwnership>x</ObjectOwnership></Rule></OwnershipControls>',
  ],
  ['no rule of ownership', ownershipControlsDocument, '<OwnershipControls/>'],
  ['an unknown status', versioningDocument, '<VersioningConfiguration><Status>On</Status></VersioningConfiguration>'],
  [
    'a tag without a value',
    createBucketDocument,
    '<CreateBucketConfiguration><Tags><Tag><Key>a</Key></Tag></Tags></CreateBucketConfiguration>',
  ],
  ['no object to delete', deleteDocument, '<Delete/>'],
  ['more than 1000 objects to delete', deleteDocument, `<Delete>${'<Object><Key>k</Key></Object>'.repeat(1001)}</Delete>`],
  ['an object without a key', deleteDocument, '<Delete><Object><VersionId>v</VersionId></Object></Delete>'],
  ['an object with an empty key', deleteDocument, '<Delete><Object><Key/></Object></Delete>'],
  ['a condition that is not a size', deleteDocument, '<Delete><Object><Key>k</Key><Size>big</Size></Object></Delete>'],
  [
    'a condition that is not a time',
    deleteDocument,
    '<Delete><Object><Key>k</Key><LastModifiedTime>soon</LastModifiedTime></Object></Delete>',
  ],
  ['no part', completeUploadDocument, '<CompleteMultipartUpload/>'],
  [
    'more than 10,000 parts',
    completeUploadDocument,
    `<CompleteMultipartUpload>${'<Part><PartNumber>1</PartNumber></Part>'.repeat(10_001)}</CompleteMultipartUpload>`,
  ],
  [
    'a part without an ETag',
    completeUploadDocument,
    '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>',
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
