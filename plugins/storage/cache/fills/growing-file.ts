/** @walk read 8: follows the file of a download, each reader at its own pace */
import { crc32 } from 'node:zlib'
import { unlessAborted } from '#kernel'
import type { ByteRange, ReadOptions } from '../../contract.ts'
import type { Disk } from '../files/disk.ts'
import { BlockChecksums } from '../verification/block-checksums.ts'

const blockBytes = 256 * 1024

interface BlockRequest {
  readonly descriptor: number
  /** Position of a byte of the block. */
  readonly position: number
  /** Is used when the block fits. */
  readonly memory: ArrayBufferLike | undefined
}

/**
 * A file that one writer extends, followed by any number of readers, each at its own pace. Readers compare what they read with the CRC-32 of
 * what was written, because the disk may damage it: the SHA-256 of a content covers only whole reads, and is not always recorded.
 */
export class GrowingFile {
  readonly #onDamage: () => void
  #path: string | undefined
  readonly #written = new BlockChecksums(blockBytes)
  #end: 'complete' | 'failed' | undefined
  readonly #waiting = new Set<() => void>()

  /** `onDamage` is called when a reader finds other bytes in the file than were written. */
  constructor(onDamage: () => void) {
    this.#onDamage = onDamage
  }

  get writtenBytes(): number {
    return this.#written.bytes
  }

  /** All bytes are written and verified. */
  get isComplete(): boolean {
    return this.#end === 'complete'
  }

  /** The chunks are written at the end of the file. */
  grow(path: string, chunks: readonly Uint8Array[]): void {
    this.#path = path
    for (const chunk of chunks) this.#written.add(chunk)
    this.#wake()
  }

  complete(): void {
    this.#end ??= 'complete'
    this.#wake()
  }

  /** No more bytes will be written, and readers must not use the file any more. A complete file stays complete. */
  fail(): void {
    this.#end ??= 'failed'
    this.#wake()
  }

  /**
   * Yields the bytes [start, end] inclusive as they are written. Returns the position of the first byte that it did not yield: when the
   * file failed, was removed, is damaged or cannot be read, the reader continues elsewhere. Throws the signal's reason when it aborts.
   * A block that is lent is valid until the one after the next is requested.
   */
  async *follow(disk: Disk, { start, end, lends = false }: ReadOptions & ByteRange, signal: AbortSignal) {
    /** Memory of the last two blocks. */
    const lent: ArrayBufferLike[] = []
    let at = start
    let descriptor: number | undefined
    try {
      while (at <= end && (await this.#reaches(at, signal))) {
        descriptor ??= await this.#open(disk)
        if (descriptor === undefined) break
        const memory = lent.length > 1 ? lent.shift() : undefined
        const block = await this.#readBlock(disk, { descriptor, position: at, memory })
        if (block === undefined) break
        if (lends) lent.push(block.buffer)
        const bytes = block.subarray(at % blockBytes, end + 1 - at + (at % blockBytes))
        at += bytes.length
        yield bytes
      }
      return at
    } finally {
      if (descriptor !== undefined) await disk.close(descriptor)
    }
  }

  /** The written bytes of the block with this position; undefined when they cannot be read or are others than were written. */
  async #readBlock(disk: Disk, { descriptor, position, memory }: BlockRequest): Promise<Uint8Array | undefined> {
    const index = Math.floor(position / blockBytes)
    const at = index * blockBytes
    const checksum = this.#written.of(index)
    const length = Math.min(blockBytes, this.writtenBytes - at)
    const block = memory && memory.byteLength >= length ? new Uint8Array(memory, 0, length) : Buffer.allocUnsafeSlow(length)
    if (!(await isRead(disk, descriptor, { block, at }))) return undefined
    if (crc32(block) === checksum) return block
    this.#onDamage()
    return undefined
  }

  /** Waits for the byte at this position. False when it will not be written. */
  async #reaches(position: number, signal: AbortSignal): Promise<boolean> {
    while (this.writtenBytes <= position && this.#end === undefined) await this.#change(signal)
    return this.#end !== 'failed' && this.writtenBytes > position
  }

  async #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    try {
      await unlessAborted(promise, signal)
    } finally {
      this.#waiting.delete(resolve)
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
  }

  async #open(disk: Disk): Promise<number | undefined> {
    try {
      return this.#path === undefined ? undefined : await disk.open(this.#path)
    } catch {
      // Removed, or unreadable: the reader continues from the source.
      return undefined
    }
  }
}

async function isRead(
  disk: Disk,
  descriptor: number,
  { block, at }: { readonly block: Uint8Array; readonly at: number },
): Promise<boolean> {
  try {
    return (await disk.read(descriptor, block, at)) === block.length
  } catch {
    // The reader continues from the source.
    return false
  }
}
