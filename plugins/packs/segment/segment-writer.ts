import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createGzip, type Gzip } from 'node:zlib'
import { encodeEntry, type IndexEntry } from './segment-index.ts'
import { encodeFooter, encodeHeader, encodeRecordHead, headerBytes, recordHeadBytes } from './segment-layout.ts'

/** A record whose bytes were compared with the SHA-256. */
export type NewRecord = Omit<IndexEntry, 'offset' | 'length'> & { readonly bytes: Uint8Array }

interface NewSegment {
  readonly segmentId: string
  readonly bucket: string
  readonly createdAtMs: number
  /** Read once, in order. */
  readonly records: AsyncIterable<NewRecord>
  /** Called with the position of each record before its bytes are returned. */
  onRecord(contentId: number, offset: number): void
}

/** The bytes of a segment. Memory: one record and the compressed index. */
export async function* writeSegment({ records, onRecord, ...segment }: NewSegment): AsyncGenerator<Uint8Array, void, void> {
  const { segmentId } = segment
  const index = new IndexWriter()
  let at = headerBytes
  let count = 0
  yield encodeHeader(segment)
  for await (const { bytes, ...entry } of records) {
    const offset = at + recordHeadBytes
    onRecord(entry.content, offset)
    yield encodeRecordHead(bytes.length, entry.sha256)
    yield bytes
    await index.add({ ...entry, offset, length: bytes.length })
    at = offset + bytes.length
    count += 1
  }
  const { blocks, textBytes } = await index.end()
  const hash = createHash('sha256')
  let indexBytes = 0
  for (const block of blocks) {
    hash.update(block)
    indexBytes += block.length
    yield block
  }
  yield encodeFooter({ segmentId, records: count, indexAt: at, indexBytes, indexTextBytes: textBytes, indexSha256: hash.digest('hex') })
}

class IndexWriter {
  readonly #gzip: Gzip = createGzip()
  readonly #blocks: Buffer[] = []
  #textBytes = 0

  constructor() {
    this.#gzip.on('data', (block: Buffer) => this.#blocks.push(block))
  }

  async add(entry: IndexEntry): Promise<void> {
    const line = Buffer.from(encodeEntry(entry))
    this.#textBytes += line.length
    if (!this.#gzip.write(line)) await once(this.#gzip, 'drain')
  }

  async end(): Promise<{ readonly blocks: readonly Buffer[]; readonly textBytes: number }> {
    const ended = once(this.#gzip, 'end')
    this.#gzip.end()
    await ended
    return { blocks: this.#blocks, textBytes: this.#textBytes }
  }
}
