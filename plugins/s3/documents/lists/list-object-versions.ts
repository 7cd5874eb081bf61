import { isoTime } from '../../wire/iso-time.ts'
import { element, escapeXml, optionalElement, xmlDocument } from '../../wire/xml.ts'
import { childFlag, childText, requireInteger, requireText, requireTime, type XmlElement } from '../../wire/xml-reader.ts'
import { readListedChecksum, writeListedChecksum } from '../checksums.ts'
import {
  type EncodeKey,
  type EncodingType,
  keyDecoder,
  keyEncoder,
  readCommonPrefixes,
  readEncodingType,
  readEntityTag,
  writeCommonPrefixes,
} from '../keys.ts'
import { readOwner, writeOwner } from '../owner.ts'
import { defineDocument } from '../xml-document.ts'

/** A delete marker has an empty etag and no bytes. */
interface ListedVersion {
  readonly key: string
  readonly versionId: string
  readonly isCurrent: boolean
  readonly isDeleteMarker: boolean
  readonly createdAtMs: number
  readonly etag: string
  readonly size: number
  readonly checksum: string | null
}

interface VersionList {
  readonly bucket: string
  readonly prefix: string
  readonly delimiter: string
  readonly keyMarker: string
  readonly versionIdMarker: string
  /** Markers of the next page; without a version ID after a common prefix. */
  readonly next: { readonly key: string; readonly versionId: string | undefined } | undefined
  readonly maxKeys: number
  readonly encodingType: EncodingType
  readonly isTruncated: boolean
  readonly versions: readonly ListedVersion[]
  readonly commonPrefixes: readonly string[]
  /** Owner of every entry that is not in `owners`. */
  readonly owner: string
  /** Owners by version ID. */
  readonly owners?: ReadonlyMap<string, string>
}

export const versionListDocument = defineDocument<VersionList>({
  root: 'ListVersionsResult',
  write(list) {
    const encode = keyEncoder(list.encodingType)
    const owner = writeOwner(list.owner)
    let entries = ''
    for (const version of list.versions) {
      const other = list.owners?.get(version.versionId)
      entries += writeVersion(version, encode, other === undefined ? owner : writeOwner(other))
    }
    return xmlDocument('ListVersionsResult', writeHead(list, encode) + entries + writeCommonPrefixes(list.commonPrefixes, encode))
  },
  read(root) {
    const decode = keyDecoder(readEncodingType(root))
    const nextKey = childText(root, 'NextKeyMarker')
    const entries = root.children.filter(({ name }) => name === 'Version' || name === 'DeleteMarker')
    return {
      bucket: requireText(root, 'Name'),
      prefix: decode(childText(root, 'Prefix') ?? ''),
      delimiter: decode(childText(root, 'Delimiter') ?? ''),
      keyMarker: decode(childText(root, 'KeyMarker') ?? ''),
      versionIdMarker: childText(root, 'VersionIdMarker') ?? '',
      next: nextKey === undefined ? undefined : { key: decode(nextKey), versionId: childText(root, 'NextVersionIdMarker') },
      maxKeys: requireInteger(root, 'MaxKeys'),
      encodingType: readEncodingType(root),
      isTruncated: childFlag(root, 'IsTruncated'),
      versions: entries.map((entry) => readVersion(entry, decode)),
      commonPrefixes: readCommonPrefixes(root, decode),
      owner: readOwner(entries[0]) ?? '',
    }
  },
})

function writeHead(list: VersionList, encode: EncodeKey): string {
  const next =
    list.next && `${element('NextKeyMarker', encode(list.next.key))}${optionalElement('NextVersionIdMarker', list.next.versionId)}`
  return [
    element('Name', list.bucket),
    element('Prefix', encode(list.prefix)),
    element('KeyMarker', encode(list.keyMarker)),
    element('VersionIdMarker', list.versionIdMarker),
    next ?? '',
    element('MaxKeys', list.maxKeys),
    list.delimiter === '' ? '' : element('Delimiter', encode(list.delimiter)),
    optionalElement('EncodingType', list.encodingType),
    element('IsTruncated', list.isTruncated),
  ].join('')
}

function writeVersion(version: ListedVersion, encode: EncodeKey, owner: string): string {
  const modified = isoTime(version.createdAtMs)
  const identity = `<Key>${escapeXml(encode(version.key))}</Key><VersionId>${version.versionId}</VersionId><IsLatest>${version.isCurrent}</IsLatest><LastModified>${modified}</LastModified>`
  if (version.isDeleteMarker) return `<DeleteMarker>${identity}${owner}</DeleteMarker>`
  return `<Version>${identity}<ETag>&quot;${version.etag}&quot;</ETag>${writeListedChecksum(version.checksum)}<Size>${version.size}</Size>${owner}<StorageClass>STANDARD</StorageClass></Version>`
}

function readVersion(entry: XmlElement, decode: EncodeKey): ListedVersion {
  const isDeleteMarker = entry.name === 'DeleteMarker'
  return {
    key: decode(requireText(entry, 'Key')),
    versionId: requireText(entry, 'VersionId'),
    isCurrent: childFlag(entry, 'IsLatest'),
    isDeleteMarker,
    createdAtMs: requireTime(entry, 'LastModified'),
    etag: isDeleteMarker ? '' : readEntityTag(entry),
    size: isDeleteMarker ? 0 : requireInteger(entry, 'Size'),
    checksum: readListedChecksum(entry),
  }
}
