import { element, xmlDocument } from '../wire/xml.ts'
import { childrenOf, malformed, requireInteger, requireText } from '../wire/xml-reader.ts'
import { readChecksums, writeChecksums, writeObjectChecksums } from './checksums.ts'
import { readEntityTag } from './keys.ts'
import { defineDocument } from './xml-document.ts'

/** Base64 by algorithm. */
type Checksums = Readonly<Record<string, string>>

interface NamedPart {
  readonly partNumber: number
  /** Has no quotes. */
  readonly etag: string
  readonly checksums: Checksums
}

const partsMax = 10_000

/** The body of CompleteMultipartUpload: the parts of the object. */
export const completeUploadDocument = defineDocument<readonly NamedPart[]>({
  root: 'CompleteMultipartUpload',
  write: (parts) =>
    xmlDocument(
      'CompleteMultipartUpload',
      parts
        .map(
          ({ partNumber, etag, checksums }) =>
            `<Part>${element('PartNumber', partNumber)}${element('ETag', `"${etag}"`)}${writeChecksums(checksums)}</Part>`,
        )
        .join(''),
    ),
  read(root) {
    const parts = childrenOf(root, 'Part')
    if (parts.length === 0) throw malformed('The document names no part.')
    if (parts.length > partsMax) throw malformed(`The document names ${parts.length} parts; at most ${partsMax} are allowed.`)
    return parts.map((part) => ({
      partNumber: requireInteger(part, 'PartNumber'),
      etag: readEntityTag(part),
      checksums: readChecksums(part),
    }))
  },
})

interface CompletedUpload {
  /** URL of the object. */
  readonly location: string
  readonly bucket: string
  readonly key: string
  /** Has no quotes. */
  readonly etag: string
  readonly checksums: Checksums
}

const resultRoot = 'CompleteMultipartUploadResult'

/** The answer to CompleteMultipartUpload. */
export const completedUploadDocument = defineDocument<CompletedUpload>({
  root: resultRoot,
  write({ location, bucket, key, etag, checksums }) {
    const object = `${element('Location', location)}${element('Bucket', bucket)}${element('Key', key)}${element('ETag', `"${etag}"`)}`
    return xmlDocument(resultRoot, `${object}${writeObjectChecksums(checksums)}`)
  },
  read: (root) => ({
    location: requireText(root, 'Location'),
    bucket: requireText(root, 'Bucket'),
    key: requireText(root, 'Key'),
    etag: readEntityTag(root),
    checksums: readChecksums(root),
  }),
})
