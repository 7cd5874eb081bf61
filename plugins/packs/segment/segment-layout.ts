/** The fixed parts of `svc segment 1`, see docs/reference/segment-format.md. Integers are unsigned and big-endian. */
import { createHash } from 'node:crypto'

const version = 1
const magic = { header: 'svcseg1\n', footer: 'svcend1\n' } as const
export const headerBytes = 128
export const footerBytes = 128
const keySlotBytes = 128
const keySlotsMax = 16
/** A record is its length in 8 bytes, the SHA-256 of its bytes, and the bytes. */
export const recordHeadBytes = 40
const checkedBytes = 96

/** The bytes are not those of a whole segment 1 that is not encrypted, or of another one than expected. */
export class SegmentRefused extends Error {
  override readonly name = 'SegmentRefused'
}

export interface SegmentHeader {
  /** 16 random bytes in lower-case hex. */
  readonly segmentId: string
  readonly createdAtMs: number
  /** Position of the first record. */
  readonly recordsAt: number
}

export interface SegmentFooter {
  readonly segmentId: string
  readonly records: number
  readonly indexAt: number
  /** Compressed, as it is stored. */
  readonly indexBytes: number
  readonly indexTextBytes: number
  /** SHA-256 of the stored index, in lower-case hex. */
  readonly indexSha256: string
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Names the bucket without telling its name. */
const bucketDigest = (segmentId: string, bucket: string): Buffer => sha256(Buffer.from(segmentId, 'hex'), Buffer.from(bucket))

export function encodeHeader({ segmentId, createdAtMs, bucket }: Omit<SegmentHeader, 'recordsAt'> & { readonly bucket: string }): Buffer {
  const header = opened(headerBytes, magic.header, segmentId)
  bucketDigest(segmentId, bucket).copy(header, 32)
  header.writeBigUInt64BE(BigInt(createdAtMs), 64)
  return closed(header)
}

/** @throws SegmentRefused also when the segment is not of the bucket */
export function decodeHeader(bytes: Buffer, bucket: string | undefined): SegmentHeader {
  const segmentId = checked(bytes, { length: headerBytes, magic: magic.header, part: 'header' })
  const keySlots = bytes.readUInt32BE(12)
  if (keySlots > keySlotsMax) throw new SegmentRefused(`the header has ${keySlots} key slots; at most ${keySlotsMax} are allowed`)
  if (bucket !== undefined && !bucketDigest(segmentId, bucket).equals(bytes.subarray(32, 64))) {
    throw new SegmentRefused(`the segment is not of bucket '${bucket}'`)
  }
  return { segmentId, createdAtMs: readNumber(bytes, 64), recordsAt: headerBytes + keySlots * keySlotBytes }
}

export function encodeFooter({ segmentId, records, indexAt, indexBytes, indexTextBytes, indexSha256 }: SegmentFooter): Buffer {
  const footer = opened(footerBytes, magic.footer, segmentId)
  footer.writeUInt32BE(records, 12)
  footer.writeBigUInt64BE(BigInt(indexAt), 32)
  footer.writeBigUInt64BE(BigInt(indexBytes), 40)
  footer.writeBigUInt64BE(BigInt(indexTextBytes), 48)
  footer.writeBigUInt64BE(BigInt(indexAt + indexBytes + footerBytes), 56)
  Buffer.from(indexSha256, 'hex').copy(footer, 64)
  return closed(footer)
}

/** `size`: of the whole segment. @throws SegmentRefused */
export function decodeFooter(bytes: Buffer, size: number): SegmentFooter {
  const segmentId = checked(bytes, { length: footerBytes, magic: magic.footer, part: 'footer' })
  const footer = {
    segmentId,
    records: bytes.readUInt32BE(12),
    indexAt: readNumber(bytes, 32),
    indexBytes: readNumber(bytes, 40),
    indexTextBytes: readNumber(bytes, 48),
    indexSha256: bytes.toString('hex', 64, checkedBytes),
  }
  if (readNumber(bytes, 56) !== size || footer.indexAt + footer.indexBytes + footerBytes !== size) {
    throw new SegmentRefused(`the footer is of a segment of ${readNumber(bytes, 56)} bytes; this one has ${size}`)
  }
  return footer
}

function opened(length: number, name: string, segmentId: string): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write(name, 0, 'latin1')
  bytes.writeUInt16BE(version, 8)
  Buffer.from(segmentId, 'hex').copy(bytes, 16)
  return bytes
}

function closed(bytes: Buffer): Buffer {
  sha256(bytes.subarray(0, checkedBytes)).copy(bytes, checkedBytes)
  return bytes
}

interface Checked {
  readonly length: number
  readonly magic: string
  readonly part: 'header' | 'footer'
}

/** Returns the segment id. */
function checked(bytes: Buffer, { length, magic, part }: Checked): string {
  if (bytes.length !== length || bytes.toString('latin1', 0, 8) !== magic) throw new SegmentRefused(`there is no ${part} of a segment`)
  if (!sha256(bytes.subarray(0, checkedBytes)).equals(bytes.subarray(checkedBytes))) throw new SegmentRefused(`the ${part} is damaged`)
  if (bytes.readUInt16BE(8) !== version) throw new SegmentRefused(`version ${bytes.readUInt16BE(8)} of the format is not known`)
  if (bytes.readUInt16BE(10) !== 0) throw new SegmentRefused('the segment is encrypted or has unknown flags')
  return bytes.toString('hex', 16, 32)
}

function readNumber(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64BE(at)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new SegmentRefused(`${value} is no size or time of a segment`)
  return Number(value)
}

export function encodeRecordHead(length: number, digest: string): Buffer {
  const head = Buffer.alloc(recordHeadBytes)
  head.writeBigUInt64BE(BigInt(length), 0)
  Buffer.from(digest, 'hex').copy(head, 8)
  return head
}
