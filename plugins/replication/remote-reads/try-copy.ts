import type { Log } from '#kernel'
import type { ProviderPieces, Providers } from '#plugins/providers'
import { freePiece } from '#plugins/storage'
import type { ReadableCopy } from '../copies/records/placement-store.ts'
import type { Slot } from './chunk-memory.ts'
import { watchRate } from './minimum-rate.ts'
import { CopyMissing, openCopy } from './open-copy.ts'
import type { RemoteReadLimits } from './remote-read-limits.ts'
import type { createSuspectCopies } from './suspect-copies.ts'

export interface CopyDeps {
  readonly providers: Pick<Providers, 'report'> & { client(serviceUrl: string): Pick<ProviderPieces, 'openPiece'> }
  readonly suspects: ReturnType<typeof createSuspectCopies>
  readonly log: Log
  readonly limits: RemoteReadLimits
}

/** A part of a piece, and the check of its bytes. */
export interface WantedChunk {
  readonly start: number
  readonly length: number
  /** The whole piece is requested without a range. */
  readonly isWhole: boolean
  proves(bytes: Uint8Array): boolean
}

/** Result of trying one copy. */
export interface Attempt {
  readonly copy: ReadableCopy
  /** No longer written to. */
  readonly slot: Slot
  readonly isProved: boolean
}

/** Fetches the bytes into the slot and proves them. A copy that fails becomes suspect. Never rejects. */
export async function tryCopy(
  deps: CopyDeps,
  wanted: WantedChunk,
  { copy, slot, signal }: { readonly copy: ReadableCopy; readonly slot: Slot; readonly signal: AbortSignal },
): Promise<Attempt> {
  const { suspects, log, providers } = deps
  const names = { provider: copy.serviceUrl, piece: copy.pieceCid }
  try {
    await download(deps, wanted, { copy, bytes: slot.bytes, signal })
    if (wanted.proves(slot.bytes)) return { copy, slot, isProved: true }
    reportRead(providers, copy, 'content_mismatch')
    log.warn('copy content mismatch', { ...names, start: wanted.start, length: wanted.length })
    suspects.add(copy, 'wrong_bytes')
  } catch (error) {
    // The reader was closed, or another copy was faster.
    if (signal.aborted) return { copy, slot, isProved: false }
    log.warn('copy cannot be read', { ...names, error })
    suspects.add(copy, error instanceof CopyMissing ? 'missing' : undefined)
  }
  return { copy, slot, isProved: false }
}

/** @throws Error when the answer is incomplete or below the minimum rate */
async function download(
  { providers, limits }: CopyDeps,
  { start, length, isWhole }: WantedChunk,
  { copy, bytes, signal }: { readonly copy: ReadableCopy; readonly bytes: Buffer; readonly signal: AbortSignal },
): Promise<void> {
  const tooSlow = new AbortController()
  using rate = watchRate(limits, (error) => {
    reportRead(providers, copy, 'too_slow')
    tooSlow.abort(error)
  })
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
    /** Offset of the next block in the chunk; negative when the provider ignored the range and sends everything. */
    let at = isPartial ? 0 : -start
    for await (const block of stream as AsyncIterable<Buffer>) {
      const from = Math.max(0, -at)
      const to = Math.min(block.length, length - at)
      if (from < to) {
        bytes.set(block.subarray(from, to), at + from)
        rate.add(to - from)
      }
      at += block.length
      freePiece(block)
      // An answer of the right length is read to its end, so that the connection can be reused.
      if (at >= length && answerLength !== length) break
    }
    if (at >= length) return
    reportRead(providers, copy, 'incomplete')
    throw new Error(`the answer ended ${length - at} bytes early`)
  } catch (error) {
    tooSlow.signal.throwIfAborted()
    throw error
  }
}

/** The client of the provider cannot tell these failures. */
const reportRead = ({ report }: CopyDeps['providers'], { serviceUrl }: ReadableCopy, reason: string) =>
  report(serviceUrl, { kind: 'read', failure: { call: 'openPiece', reason } })
