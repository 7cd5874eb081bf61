import type { ObjectVersion, VersionPage } from '#plugins/storage'
import { invalidArgument } from '../wire/s3-error.ts'
import { element, escapeXml, optionalElement, xmlDocument } from '../wire/xml.ts'
import { type BucketRequest, type Operation, xmlAnswer } from './operation.ts'
import { ownerElement } from './owner.ts'
import { type EncodeKey, readCount, readEncoding } from './paging.ts'

const entriesMax = 1000
const emptyPage: VersionPage = { versions: [], commonPrefixes: [], isTruncated: false }

/** Versions and delete markers, sorted by key in byte order, then newest first. */
export const listObjectVersions: Operation = {
  scope: 'bucket',
  async run(request, { versions }) {
    const { bucket, query } = request
    const { prefix, delimiter, keyMarker, versionIdMarker } = readPlace(request)
    const limit = readCount(query, 'max-keys', { fallback: entriesMax, max: entriesMax })
    const { type: encodingType, encode } = readEncoding(query)
    const place = { prefix, delimiter, keyMarker, ...(versionIdMarker === '' ? {} : { versionIdMarker }) }
    const page = limit === 0 ? emptyPage : await versions.list({ bucket: bucket.name, limit, ...place })
    const head = [
      element('Name', bucket.name),
      element('Prefix', encode(prefix)),
      element('KeyMarker', encode(keyMarker)),
      element('VersionIdMarker', versionIdMarker),
      nextMarkers(page, encode),
      element('MaxKeys', limit),
      delimiter === '' ? '' : element('Delimiter', encode(delimiter)),
      optionalElement('EncodingType', encodingType),
      element('IsTruncated', page.isTruncated),
    ]
    return xmlAnswer(xmlDocument('ListVersionsResult', head.join('') + entries(page, encode, ownerElement(bucket.ownerAccessKey))))
  },
}

function readPlace({ query }: BucketRequest) {
  const [keyMarker, versionIdMarker] = [query.get('key-marker') ?? '', query.get('version-id-marker') ?? '']
  if (versionIdMarker !== '' && keyMarker === '') {
    throw invalidArgument('version-id-marker', versionIdMarker, 'A version-id marker cannot be specified without a key marker.')
  }
  return { prefix: query.get('prefix') ?? '', delimiter: query.get('delimiter') ?? '', keyMarker, versionIdMarker }
}

function nextMarkers({ isTruncated, last }: VersionPage, encode: EncodeKey): string {
  if (!isTruncated || last === undefined) return ''
  return `${element('NextKeyMarker', encode(last.key))}${optionalElement('NextVersionIdMarker', last.versionId)}`
}

function entries({ versions, commonPrefixes }: VersionPage, encode: EncodeKey, owner: string): string {
  let xml = ''
  for (const version of versions) xml += version.isDeleteMarker ? marker(version, encode, owner) : data(version, encode, owner)
  for (const prefix of commonPrefixes) xml += `<CommonPrefixes>${element('Prefix', encode(prefix))}</CommonPrefixes>`
  return xml
}

function data(version: ObjectVersion, encode: EncodeKey, owner: string): string {
  return `<Version>${identity(version, encode)}<ETag>&quot;${version.etag}&quot;</ETag><Size>${version.size}</Size>${owner}<StorageClass>STANDARD</StorageClass></Version>`
}

function marker(version: ObjectVersion, encode: EncodeKey, owner: string): string {
  return `<DeleteMarker>${identity(version, encode)}${owner}</DeleteMarker>`
}

function identity({ key, versionId, isCurrent, createdAtMs }: ObjectVersion, encode: EncodeKey): string {
  const modified = new Date(createdAtMs).toISOString()
  return `<Key>${escapeXml(encode(key))}</Key><VersionId>${versionId}</VersionId><IsLatest>${isCurrent}</IsLatest><LastModified>${modified}</LastModified>`
}
