/** Entries of the index of a segment: one line of JSON for each record, in order. */
import { recordHeadBytes, SegmentRefused } from './segment-layout.ts'

type Texts = Readonly<Record<string, string>>

/** A version that referred to the record when the segment was sealed. */
export interface IndexedVersion {
  readonly bucket: string
  readonly key: string
  readonly version: string
  readonly created: number
  readonly etag: string
  readonly type: string
  readonly system?: Texts
  readonly user?: Texts
  readonly checksums?: Texts
  readonly tags?: Texts
}

export interface IndexEntry {
  readonly content: number
  /** Position of the first byte of the member: behind the head of its record. */
  readonly offset: number
  readonly length: number
  /** Lower-case hex. */
  readonly sha256: string
  readonly versions: readonly IndexedVersion[]
  /** Further versions that are not listed. Absent: none. */
  readonly more?: number
}

export const encodeEntry = (entry: IndexEntry): string => `${JSON.stringify(entry)}\n`

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** `at`: where the record must begin. @throws SegmentRefused */
export function decodeEntry(line: string, at: number): IndexEntry {
  const entry = parse(line)
  const { content, offset, length, sha256, versions } = entry
  const isWhole = isCount(content) && isCount(offset) && isCount(length) && Array.isArray(versions)
  if (!isWhole || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
    throw new SegmentRefused('a line of the index is no entry of a record')
  }
  if (offset !== at + recordHeadBytes) throw new SegmentRefused(`record ${content} is at ${offset}; the record before it ends at ${at}`)
  return { ...entry, content, offset, length, sha256, versions }
}

function parse(line: string): Partial<IndexEntry> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw new SegmentRefused('a line of the index is not JSON', { cause })
  }
  throw new SegmentRefused('a line of the index is no object')
}
