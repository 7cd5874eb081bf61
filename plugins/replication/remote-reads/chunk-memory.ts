import { chunkRawBytes } from '../pieces/piece-size.ts'
import { slotBytesMin, spareBuffersMax } from './remote-read-limits.ts'

/** Memory for one chunk, or a shorter one. */
export interface Slot {
  readonly bytes: Buffer
  /** The bytes must not be read or written afterwards. */
  release(): void
}

/** Counts the bytes of chunks in memory, and reuses the buffers of full chunks. */
export function createChunkMemory(bytesMax: number) {
  const spare: Buffer[] = []
  let usedBytes = 0
  const costOf = (length: number) => Math.max(length, slotBytesMin)
  return {
    /** Whether `length` bytes are free, and `keepFree` more. */
    fits: (length: number, keepFree = 0): boolean => usedBytes + costOf(length) + keepFree <= bytesMax,
    give(length: number, onRelease: () => void): Slot {
      usedBytes += costOf(length)
      let bytes: Buffer | undefined
      let isReleased = false
      return {
        get bytes() {
          bytes ??= (length === chunkRawBytes ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(length)
          return bytes
        },
        release() {
          if (isReleased) return
          isReleased = true
          usedBytes -= costOf(length)
          if (bytes?.length === chunkRawBytes && spare.length < spareBuffersMax) spare.push(bytes)
          onRelease()
        },
      }
    },
    get usedBytes() {
      return usedBytes
    },
  }
}
