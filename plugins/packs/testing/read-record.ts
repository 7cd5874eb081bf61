import { createHash } from 'node:crypto'
import type { IndexEntry } from '../segment/segment-index.ts'
import { SegmentRefused } from '../segment/segment-layout.ts'
import type { SegmentSource } from '../segment/segment-reader.ts'

/** Returns the bytes of one record. @throws SegmentRefused when they are not those of the entry */
export async function readRecord(source: SegmentSource, { content, offset, length, sha256 }: IndexEntry): Promise<Buffer> {
  const bytes = length === 0 ? Buffer.alloc(0) : await source.read(offset, offset + length - 1)
  if (bytes.length !== length || createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new SegmentRefused(`the bytes of record ${content} are not those of the index`)
  }
  return bytes
}
