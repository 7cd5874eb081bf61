import { crc32 } from 'node:zlib'
import type { FileBlocks } from './recent-verifications.ts'

/** Bytes of a file under one checksum: what a partial read of any length reads at least. */
export const checkedBytes = 64 * 1024
const checksumBytes = 4

/** CRC-32 of each block of a stream of bytes; of the last block, of its bytes so far. */
export class BlockChecksums {
  readonly #blockBytes: number
  readonly #checksums: number[] = []
  #bytes = 0

  constructor(blockBytes = checkedBytes) {
    this.#blockBytes = blockBytes
  }

  /** Of all bytes that were added. */
  get bytes(): number {
    return this.#bytes
  }

  add(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      const block = Math.floor(this.#bytes / this.#blockBytes)
      const part = chunk.subarray(from, from + (block + 1) * this.#blockBytes - this.#bytes)
      this.#checksums[block] = crc32(part, this.#checksums[block] ?? 0)
      this.#bytes += part.length
      from += part.length
    }
  }

  /** Undefined for a block without bytes. */
  of(block: number): number | undefined {
    return this.#checksums[block]
  }

  /** Four bytes for each block, big-endian, in lower-case hex. */
  hex(): string {
    const bytes = Buffer.alloc(this.#checksums.length * checksumBytes)
    for (const [block, checksum] of this.#checksums.entries()) bytes.writeUInt32BE(checksum, block * checksumBytes)
    return bytes.toString('hex')
  }
}

export function checksumsOf(bytes: Uint8Array): string {
  const checksums = new BlockChecksums()
  checksums.add(bytes)
  return checksums.hex()
}

/** The whole blocks that a range [start, end] inclusive of a file of `length` bytes is in. */
export interface CheckedRange {
  readonly start: number
  readonly end: number
  readonly blocks: FileBlocks
  /** Place of their checksums among those of the file, in bytes. */
  readonly place: { readonly from: number; readonly bytes: number }
}

export function checkedRange({ start, end }: { readonly start: number; readonly end: number }, length: number): CheckedRange {
  const first = Math.floor(start / checkedBytes)
  const last = Math.floor(end / checkedBytes)
  return {
    start: first * checkedBytes,
    end: Math.min((last + 1) * checkedBytes, length) - 1,
    blocks: { first, last, count: Math.ceil(length / checkedBytes) },
    place: { from: first * checksumBytes, bytes: (last - first + 1) * checksumBytes },
  }
}
