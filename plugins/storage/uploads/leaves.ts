/** @walk parts 4: gives groups of parts the identity of a content */
import { createHash } from 'node:crypto'
import { identityOf } from '../catalog/references/attach-bytes.ts'
import type { StoredPart } from '../catalog/uploads/upload-part-store.ts'

type Segment = Pick<StoredPart, 'size' | 'sha256' | 'blobId'>

/** A content whose bytes are those of consecutive parts. */
export interface Leaf {
  /** Equal for equal segments, however they were uploaded. One segment has the identity that a put of its bytes has. */
  readonly identity: string
  /** SHA-256 of all bytes; null for several segments, because only their own digests are known. */
  readonly sha256: string | null
  readonly size: number
  readonly segments: readonly Segment[]
}

/** Contents of at most `bytesMax` bytes for the parts, in order; none for no bytes. A part is never split. Empty parts add nothing. */
export function leavesOf(parts: readonly Segment[], bytesMax: number): readonly Leaf[] {
  const groups: Segment[][] = [[]]
  let bytes = 0
  for (const segment of parts.filter(({ size }) => size > 0)) {
    if (bytes + segment.size > bytesMax) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(segment)
    bytes += segment.size
  }
  return groups.filter((segments) => segments.length > 0).map(leafOf)
}

function leafOf(segments: readonly Segment[]): Leaf {
  const size = segments.reduce((sum, segment) => sum + segment.size, 0)
  const [only] = segments
  if (only && segments.length === 1) return { identity: identityOf(only.sha256), sha256: only.sha256, size, segments }
  const digest = createHash('sha256')
  const length = Buffer.alloc(8)
  for (const segment of segments) {
    length.writeBigUInt64BE(BigInt(segment.size))
    digest.update(segment.sha256, 'hex').update(length)
  }
  return { identity: `mp:${digest.digest('hex')}`, sha256: null, size, segments }
}

/** ETag as in S3: the MD5 of the MD5s of the parts, and their number. */
export function etagOf(parts: readonly Pick<StoredPart, 'etag'>[]): string {
  const digest = createHash('md5')
  for (const { etag } of parts) digest.update(etag, 'hex')
  return `${digest.digest('hex')}-${parts.length}`
}
