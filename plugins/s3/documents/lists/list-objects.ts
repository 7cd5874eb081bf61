/** Entries and limits that both versions of ListObjects have. */
import { isoTime } from '../../wire/iso-time.ts'
import { element, escapeXml, optionalElement } from '../../wire/xml.ts'
import { childFlag, childrenOf, childText, requireInteger, requireText, requireTime, type XmlElement } from '../../wire/xml-reader.ts'
import { readListedChecksum, writeListedChecksum } from '../checksums.ts'
import { type EncodeKey, type EncodingType, readCommonPrefixes, readEncodingType, readEntityTag, writeCommonPrefixes } from '../keys.ts'
import { readOwner, writeOwner } from '../owner.ts'

interface ListedObject {
  readonly key: string
  readonly lastModifiedMs: number
  /** Has no quotes. */
  readonly etag: string
  readonly size: number
  readonly checksum: string | null
  readonly versionId?: string
}

/** Keys are text; the documents encode them. */
export interface ObjectList {
  readonly bucket: string
  readonly prefix: string
  /** Empty: keys are not grouped. */
  readonly delimiter: string
  readonly maxKeys: number
  readonly encodingType: EncodingType
  readonly isTruncated: boolean
  readonly entries: readonly ListedObject[]
  readonly commonPrefixes: readonly string[]
  /** Owner of every entry that is not in `owners`; undefined: owners are not shown. */
  readonly owner: string | undefined
  /** Owners by version ID. */
  readonly owners?: ReadonlyMap<string, string>
}

export function writeLimits({ maxKeys, delimiter, encodingType, isTruncated }: ObjectList, encode: EncodeKey): string {
  return `${element('MaxKeys', maxKeys)}${delimiter === '' ? '' : element('Delimiter', encode(delimiter))}${optionalElement('EncodingType', encodingType)}${element('IsTruncated', isTruncated)}`
}

export function writeEntries({ entries, commonPrefixes, owner, owners }: ObjectList, encode: EncodeKey): string {
  const ownerXml = owner === undefined ? '' : writeOwner(owner)
  let xml = ''
  for (const { key, lastModifiedMs, etag, size, checksum, versionId = '' } of entries) {
    const other = owner === undefined ? undefined : owners?.get(versionId)
    xml += `<Contents><Key>${escapeXml(encode(key))}</Key><LastModified>${isoTime(lastModifiedMs)}</LastModified><ETag>&quot;${etag}&quot;</ETag>${writeListedChecksum(checksum)}<Size>${size}</Size>${other === undefined ? ownerXml : writeOwner(other)}<StorageClass>STANDARD</StorageClass></Contents>`
  }
  return xml + writeCommonPrefixes(commonPrefixes, encode)
}

export function readObjectList(root: XmlElement, decode: EncodeKey): ObjectList {
  const contents = childrenOf(root, 'Contents')
  return {
    bucket: requireText(root, 'Name'),
    prefix: decode(childText(root, 'Prefix') ?? ''),
    delimiter: decode(childText(root, 'Delimiter') ?? ''),
    maxKeys: requireInteger(root, 'MaxKeys'),
    encodingType: readEncodingType(root),
    isTruncated: childFlag(root, 'IsTruncated'),
    entries: contents.map((entry) => ({
      key: decode(requireText(entry, 'Key')),
      lastModifiedMs: requireTime(entry, 'LastModified'),
      etag: readEntityTag(entry),
      size: requireInteger(entry, 'Size'),
      checksum: readListedChecksum(entry),
    })),
    commonPrefixes: readCommonPrefixes(root, decode),
    owner: readOwner(contents[0]),
  }
}
