import type { Log } from '#kernel'
import type { ProviderPieces } from '../chain/provider-pieces.ts'
import type { Slot } from './chunk-memory.ts'
import type { createCopyDoubts } from './copy-doubts.ts'
import { watchRate } from './minimum-rate.ts'
import { openCopy } from './open-copy.ts'
import type { ReadableCopy } from './placement-store.ts'
import type { RemoteReadLimits } from './remote-read-limits.ts'

export interface CopyDoors {
  readonly providers: { client(serviceUrl: string): Pick<ProviderPieces, 'openPiece'> }
  readonly doubts: ReturnType<typeof createCopyDoubts>
  readonly log: Log
  readonly limits: RemoteReadLimits
}

/** A part of a piece, and what shows that it is right. */
export interface WantedChunk {
  readonly start: number
  readonly length: number
  /** The whole piece is asked for without a range. */
  readonly isWhole: boolean
  proves(bytes: Uint8Array): boolean
}

/** The end of a try of one copy. */
export interface Attempt {
  readonly copy: ReadableCopy
  /** Nothing writes to it any more. */
  readonly slot: Slot
  readonly isProved: boolean
}

/** Brings the bytes into the slot and proves them. A copy that fails is in doubt from then on. Never rejects. */
export async function tryCopy(
  doors: CopyDoors,
  wanted: WantedChunk,
  { copy, slot, signal }: { readonly copy: ReadableCopy; readonly slot: Slot; readonly signal: AbortSignal },
): Promise<Attempt> {
  const { doubts, log } = doors
  const names = { provider: copy.serviceUrl, piece: copy.pieceCid }
  try {
    await download(doors, wanted, { copy, bytes: slot.bytes, signal })
    if (wanted.proves(slot.bytes)) return { copy, slot, isProved: true }
    log.warn('copy content mismatch', { ...names, start: wanted.start, length: wanted.length })
  } catch (error) {
    // The reader is gone, or another copy was faster.
    if (signal.aborted) return { copy, slot, isProved: false }
    log.warn('a copy cannot be read', { ...names, error })
  }
  doubts.raise(copy)
  return { copy, slot, isProved: false }
}

/** @throws Error when the copy does not give all bytes, or too slowly */
async function download(
  { providers, limits }: CopyDoors,
  { start, length, isWhole }: WantedChunk,
  { copy, bytes, signal }: { readonly copy: ReadableCopy; readonly bytes: Buffer; readonly signal: AbortSignal },
): Promise<void> {
  const tooSlow = new AbortController()
  using rate = watchRate(limits, (error) => tooSlow.abort(error))
  const range = { start, end: start + length - 1 }
  try {
    const {
      stream,
      isPartial,
      length: answerLength,
    } = await openCopy(providers.client(copy.serviceUrl), copy.pieceCid, {
      ...(!isWhole && { range }),
      signal: AbortSignal.any([signal, tooSlow.signal]),
    })
    /** Of the next block, in the chunk: a provider may send everything although a part was asked for. */
    let at = isPartial ? 0 : -start
    for await (const block of stream as AsyncIterable<Buffer>) {
      const from = Math.max(0, -at)
      const to = Math.min(block.length, length - at)
      if (from < to) {
        bytes.set(block.subarray(from, to), at + from)
        rate.add(to - from)
      }
      at += block.length
      // An answer of the right length is read to its end, which keeps the connection for the next chunk.
      if (at >= length && answerLength !== length) break
    }
    if (at < length) throw new Error(`the answer ended ${length - at} bytes early`)
  } catch (error) {
    tooSlow.signal.throwIfAborted()
    throw error
  }
}
