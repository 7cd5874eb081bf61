import { element, xmlDocument } from '../wire/xml.ts'
import { requireTime } from '../wire/xml-reader.ts'
import { readChecksums, writeObjectChecksums } from './checksums.ts'
import { readEntityTag } from './keys.ts'
import { defineDocument } from './xml-document.ts'

interface CopyResult {
  /** Without quotes. */
  readonly etag: string
  readonly lastModifiedMs: number
  /** Base64 by algorithm. */
  readonly checksums: Readonly<Record<string, string>>
}

/** Of CopyObject. */
export const copyResultDocument = defineDocument<CopyResult>({
  root: 'CopyObjectResult',
  write: ({ etag, lastModifiedMs, checksums }) =>
    xmlDocument(
      'CopyObjectResult',
      `${element('ETag', `"${etag}"`)}${element('LastModified', new Date(lastModifiedMs).toISOString())}${writeObjectChecksums(checksums)}`,
    ),
  read: (root) => ({ etag: readEntityTag(root), lastModifiedMs: requireTime(root, 'LastModified'), checksums: readChecksums(root) }),
})
