import { element, optionalElement, xmlDocument } from '../wire/xml.ts'
import { childFlag, childrenOf, childText, optionalInteger, requireInteger, type XmlElement } from '../wire/xml-reader.ts'
import { readChecksums, writeChecksums, writeObjectChecksums } from './checksums.ts'
import { defineDocument } from './xml-document.ts'

/** Base64 by algorithm. */
type Checksums = Readonly<Record<string, string>>

interface PartList {
  /** Number of parts of the whole object. */
  readonly partsCount: number
  readonly partNumberMarker: number
  readonly nextPartNumberMarker: number
  readonly maxParts: number
  readonly isTruncated: boolean
  readonly parts: readonly { readonly partNumber: number; readonly size: number; readonly checksums: Checksums }[]
}

/** What was not requested is undefined, and `checksums` empty. */
interface ObjectAttributes {
  readonly etag: string | undefined
  readonly checksums: Checksums
  readonly parts: PartList | undefined
  readonly storageClass: string | undefined
  readonly size: number | undefined
}

const root = 'GetObjectAttributesResponse'

/** Answer of GetObjectAttributes. The entity tag has no quotes here. */
export const attributesDocument = defineDocument<ObjectAttributes>({
  root,
  write({ etag, checksums, parts, storageClass, size }) {
    const sums = writeObjectChecksums(checksums)
    const checksum = sums === '' ? '' : `<Checksum>${sums}</Checksum>`
    const tail = `${optionalElement('StorageClass', storageClass)}${optionalElement('ObjectSize', size)}`
    return xmlDocument(root, `${optionalElement('ETag', etag)}${checksum}${parts ? writeParts(parts) : ''}${tail}`)
  },
  read(found) {
    const [checksum] = childrenOf(found, 'Checksum')
    const [parts] = childrenOf(found, 'ObjectParts')
    return {
      etag: childText(found, 'ETag'),
      checksums: checksum ? readChecksums(checksum) : {},
      parts: parts && readParts(parts),
      storageClass: childText(found, 'StorageClass'),
      size: optionalInteger(found, 'ObjectSize'),
    }
  },
})

function writeParts({ partsCount, partNumberMarker, nextPartNumberMarker, maxParts, isTruncated, parts }: PartList): string {
  const items = parts.map(
    ({ partNumber, size, checksums }) =>
      `<Part>${element('PartNumber', partNumber)}${element('Size', size)}${writeChecksums(checksums)}</Part>`,
  )
  const markers = `${element('PartNumberMarker', partNumberMarker)}${element('NextPartNumberMarker', nextPartNumberMarker)}`
  const page = `${markers}${element('MaxParts', maxParts)}${element('IsTruncated', isTruncated)}`
  return `<ObjectParts>${element('PartsCount', partsCount)}${page}${items.join('')}</ObjectParts>`
}

const readParts = (list: XmlElement): PartList => ({
  partsCount: requireInteger(list, 'PartsCount'),
  partNumberMarker: requireInteger(list, 'PartNumberMarker'),
  nextPartNumberMarker: requireInteger(list, 'NextPartNumberMarker'),
  maxParts: requireInteger(list, 'MaxParts'),
  isTruncated: childFlag(list, 'IsTruncated'),
  parts: childrenOf(list, 'Part').map((part) => ({
    partNumber: requireInteger(part, 'PartNumber'),
    size: requireInteger(part, 'Size'),
    checksums: readChecksums(part),
  })),
})
