import { isoTime } from '../../wire/iso-time.ts'
import { element, xmlDocument } from '../../wire/xml.ts'
import { childFlag, childrenOf, requireInteger, requireText, requireTime } from '../../wire/xml-reader.ts'
import { readChecksums, writeChecksums } from '../checksums.ts'
import { readEntityTag } from '../keys.ts'
import { readUploadFacts, type UploadFacts, writeParties, writeUploadChecksum } from '../upload-facts.ts'
import { defineDocument } from '../xml-document.ts'

interface ListedPart {
  readonly partNumber: number
  readonly createdAtMs: number
  /** Has no quotes. */
  readonly etag: string
  readonly size: number
  /** Base64 by algorithm. */
  readonly checksums: Readonly<Record<string, string>>
}

interface PartList extends UploadFacts {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
  readonly partNumberMarker: number
  readonly nextPartNumberMarker: number
  readonly maxParts: number
  readonly isTruncated: boolean
  readonly parts: readonly ListedPart[]
}

export const partListDocument = defineDocument<PartList>({
  root: 'ListPartsResult',
  write(list) {
    const upload = `${element('Bucket', list.bucket)}${element('Key', list.key)}${element('UploadId', list.uploadId)}`
    const markers = `${element('PartNumberMarker', list.partNumberMarker)}${element('NextPartNumberMarker', list.nextPartNumberMarker)}`
    const page = `${markers}${element('MaxParts', list.maxParts)}${element('IsTruncated', list.isTruncated)}`
    const parts = list.parts.map(writePart).join('')
    return xmlDocument('ListPartsResult', `${upload}${page}${parts}${writeParties(list)}${writeUploadChecksum(list)}`)
  },
  read: (root) => ({
    bucket: requireText(root, 'Bucket'),
    key: requireText(root, 'Key'),
    uploadId: requireText(root, 'UploadId'),
    partNumberMarker: requireInteger(root, 'PartNumberMarker'),
    nextPartNumberMarker: requireInteger(root, 'NextPartNumberMarker'),
    maxParts: requireInteger(root, 'MaxParts'),
    isTruncated: childFlag(root, 'IsTruncated'),
    parts: childrenOf(root, 'Part').map((part) => ({
      partNumber: requireInteger(part, 'PartNumber'),
      createdAtMs: requireTime(part, 'LastModified'),
      etag: readEntityTag(part),
      size: requireInteger(part, 'Size'),
      checksums: readChecksums(part),
    })),
    ...readUploadFacts(root),
  }),
})

function writePart({ partNumber, createdAtMs, etag, size, checksums }: ListedPart): string {
  const modified = element('LastModified', isoTime(createdAtMs))
  return `<Part>${element('PartNumber', partNumber)}${modified}${element('ETag', `"${etag}"`)}${element('Size', size)}${writeChecksums(checksums)}</Part>`
}
