import { element, xmlDocument } from '../wire/xml.ts'
import { requireTime } from '../wire/xml-reader.ts'
import { readChecksums, writeChecksums, writeObjectChecksums } from './checksums.ts'
import { readEntityTag } from './keys.ts'
import { defineDocument } from './xml-document.ts'

interface CopyResult {
  /** Has no quotes. */
  readonly etag: string
  readonly lastModifiedMs: number
  /** Base64 by algorithm. */
  readonly checksums: Readonly<Record<string, string>>
}

export const copyResultDocument = copyResult('CopyObjectResult', writeObjectChecksums)

export const copyPartResultDocument = copyResult('CopyPartResult', writeChecksums)

function copyResult(root: string, writeSums: (checksums: CopyResult['checksums']) => string) {
  return defineDocument<CopyResult>({
    root,
    write: ({ etag, lastModifiedMs, checksums }) =>
      xmlDocument(
        root,
        `${element('ETag', `"${etag}"`)}${element('LastModified', new Date(lastModifiedMs).toISOString())}${writeSums(checksums)}`,
      ),
    read: (found) => ({ etag: readEntityTag(found), lastModifiedMs: requireTime(found, 'LastModified'), checksums: readChecksums(found) }),
  })
}
