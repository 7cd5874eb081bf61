import { unlessAborted } from '#kernel'
import type { Disk } from './disk.ts'

const blockBytes = 256 * 1024

/** A file that one writer extends, followed by any number of readers, each at its own pace. */
export class GrowingFile {
  #path: string | undefined
  #writtenBytes = 0
  #end: 'complete' | 'failed' | undefined
  readonly #waiting = new Set<() => void>()

  get writtenBytes(): number {
    return this.#writtenBytes
  }

  /** All bytes are written and verified. */
  get isComplete(): boolean {
    return this.#end === 'complete'
  }

  grow(path: string, writtenBytes: number): void {
    this.#path = path
    this.#writtenBytes = writtenBytes
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
   * file failed, was removed or cannot be read, the reader continues elsewhere. Throws the signal's reason when it aborts.
   */
  async *follow(disk: Disk, { start, end }: { readonly start: number; readonly end: number }, signal: AbortSignal) {
    let at = start
    let descriptor: number | undefined
    try {
      while (at <= end && (await this.#reaches(at, signal))) {
        descriptor ??= await this.#open(disk)
        if (descriptor === undefined) break
        const block = Buffer.allocUnsafeSlow(Math.min(blockBytes, this.#writtenBytes - at, end + 1 - at))
        if (!(await isRead(disk, descriptor, { block, at }))) break
        at += block.length
        yield block as Uint8Array
      }
      return at
    } finally {
      if (descriptor !== undefined) await disk.close(descriptor)
    }
  }

  /** Waits for the byte at this position. False when it will not be written. */
  async #reaches(position: number, signal: AbortSignal): Promise<boolean> {
    while (this.#writtenBytes <= position && this.#end === undefined) await this.#change(signal)
    return this.#end !== 'failed' && this.#writtenBytes > position
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
