import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { decodeEntry, type IndexEntry } from './segment-index.ts'
import {
  decodeFooter,
  decodeHeader,
  footerBytes,
  headerBytes,
  type SegmentFooter,
  type SegmentHeader,
  SegmentRefused,
} from './segment-layout.ts'

/** Bytes of a segment by range, both ends inclusive. */
export interface SegmentSource {
  readonly size: number
  read(start: number, end: number): Promise<Buffer>
}

/** An untrusted index is not read beyond this. */
const lineLengthMax = 32 * 1024 * 1024
const indexBytesMax = { stored: 128 * 1024 * 1024, text: 512 * 1024 * 1024 } as const

interface OpenSegment {
  readonly header: SegmentHeader
  readonly footer: SegmentFooter
  /** The entries in order. @throws SegmentRefused before the first one when the index is not that of the footer */
  entries(): AsyncGenerator<IndexEntry, void, void>
}

/**
 * Opens a segment from its last bytes. Refuses one that is torn or truncated, whose header and footer differ, or that is not of the bucket
 * (default: any bucket), before anything of it is used.
 */
export async function openSegment(source: SegmentSource, bucket?: string): Promise<OpenSegment> {
  const { size } = source
  if (size < headerBytes + footerBytes) throw new SegmentRefused(`a segment has more than ${size} bytes`)
  const footer = decodeFooter(await source.read(size - footerBytes, size - 1), size)
  const header = decodeHeader(await source.read(0, headerBytes - 1), bucket)
  if (header.segmentId !== footer.segmentId) throw new SegmentRefused('header and footer are of different segments')
  const { indexAt, indexBytes, indexTextBytes } = footer
  if (indexAt < header.recordsAt) throw new SegmentRefused('the index begins before the records')
  if (indexBytes > indexBytesMax.stored || indexTextBytes > indexBytesMax.text) throw new SegmentRefused('the index is too large')
  return { header, footer, entries: () => readEntries(source, header, footer) }
}

async function* readEntries(
  source: SegmentSource,
  { recordsAt }: SegmentHeader,
  { indexAt, indexBytes, indexSha256, indexTextBytes, records }: SegmentFooter,
): AsyncGenerator<IndexEntry, void, void> {
  const stored = await source.read(indexAt, indexAt + indexBytes - 1)
  if (createHash('sha256').update(stored).digest('hex') !== indexSha256) throw new SegmentRefused('the index is damaged')
  let at = recordsAt
  let count = 0
  for await (const line of linesOf(stored, indexTextBytes)) {
    const entry = decodeEntry(line, at)
    at = entry.offset + entry.length
    count += 1
    yield entry
  }
  if (at !== indexAt || count !== records) {
    throw new SegmentRefused(`the index has ${count} records up to ${at}; the footer has ${records} up to ${indexAt}`)
  }
}

/** Splits at line feeds only: a key may have other characters that end a line. */
async function* linesOf(stored: Buffer, textBytes: number): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let unpacked = 0
  let rest = ''
  try {
    for await (const block of Readable.from([stored]).pipe(createGunzip())) {
      unpacked += block.length
      if (unpacked > textBytes) throw new SegmentRefused('the index is longer than the footer says')
      const lines = (rest + decoder.decode(block, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > lineLengthMax) throw new SegmentRefused(`a line of the index has more than ${lineLengthMax} characters`)
      yield* lines
    }
  } catch (cause) {
    if (cause instanceof SegmentRefused) throw cause
    throw new SegmentRefused('the index cannot be unpacked', { cause })
  }
  if (unpacked !== textBytes || rest !== '') throw new SegmentRefused(`the index has ${unpacked} bytes; the footer has ${textBytes}`)
}
