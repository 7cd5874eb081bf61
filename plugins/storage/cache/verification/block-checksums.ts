import { crc32 } from 'node:zlib'
import type { FileBlocks } from './recent-verifications.ts'

/** Bytes of a file under one checksum: what a partial read of any length reads at least. */
export const checkedBytes = 64 * 1024
const checksumBytes = 4
const firstBlocks = 16

/** CRC-32 of each block of a stream of bytes; of the last block, of its bytes so far. Outside of the heap, whose size is limited on threads. */
export class BlockChecksums {
  readonly #blockBytes: number
  /** Doubles when it is full. */
  #checksums = new Uint32Array(firstBlocks)
  #bytes = 0

  constructor(blockBytes = checkedBytes) {
    this.#blockBytes = blockBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get #blocks(): number {
    return Math.ceil(this.#bytes / this.#blockBytes)
  }

  add(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      const block = Math.floor(this.#bytes / this.#blockBytes)
      if (block === this.#checksums.length) this.#grow()
      const part = chunk.subarray(from, from + (block + 1) * this.#blockBytes - this.#bytes)
      this.#checksums[block] = crc32(part, this.#checksums[block])
      this.#bytes += part.length
      from += part.length
    }
  }

  /** Returns nothing for a block without bytes. */
  of(block: number): number | undefined {
    return block < this.#blocks ? this.#checksums[block] : undefined
  }

  /** Four bytes for each block, big-endian. */
  toBytes(): Buffer {
    const bytes = Buffer.alloc(this.#blocks * checksumBytes)
    for (let block = 0; block < this.#blocks; block++) bytes.writeUInt32BE(this.#checksums[block] ?? 0, block * checksumBytes)
    return bytes
  }

  #grow(): void {
    const grown = new Uint32Array(2 * this.#checksums.length)
    grown.set(this.#checksums)
    this.#checksums = grown
  }
}

export function checksumsOf(bytes: Uint8Array): Buffer {
  const checksums = new BlockChecksums()
  checksums.add(bytes)
  return checksums.toBytes()
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
