import type { Log } from '#kernel'
import type { ProviderPieces } from '../chain/provider-pieces.ts'
import type { ChunkBudget, Slot } from './chunk-budget.ts'
import type { createCopyDoubts } from './copy-doubts.ts'
import { watchRate } from './minimum-rate.ts'
import { openCopy } from './open-copy.ts'
import type { ReadableCopy } from './placement-store.ts'
import type { RemoteReadLimits } from './remote-read-limits.ts'
import type { FetchedChunk } from './shared-chunks.ts'

export interface FetchDoors {
  readonly providers: { client(serviceUrl: string): Pick<ProviderPieces, 'openPiece'> }
  readonly doubts: ReturnType<typeof createCopyDoubts>
  readonly budget: ChunkBudget
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

/** No copy gave the bytes. */
export class NoCopyGives extends Error {
  override readonly name = 'NoCopyGives'

  constructor(copies: number) {
    super(`none of ${copies} stored copies gives the bytes`)
  }
}

interface Attempt {
  readonly copy: ReadableCopy
  readonly slot: Slot
  readonly isProved: boolean
}

/**
 * Brings a chunk from the first copy that gives the right bytes (I-31). The next copy is asked when one fails, and competes with one that
 * is slow.
 */
export async function fetchChunk(
  doors: FetchDoors,
  wanted: WantedChunk,
  copies: readonly ReadableCopy[],
  { slot, signal }: { readonly slot: Slot; readonly signal: AbortSignal },
): Promise<FetchedChunk> {
  const { budget, doubts, limits } = doors
  const stop = new AbortController()
  const untried = [...copies]
  const free = [slot]
  const running = new Map<ReadableCopy, Promise<Attempt>>()
  try {
    for (;;) {
      signal.throwIfAborted()
      const room = untried.length > 0 ? (free.pop() ?? budget.tryTake(0)) : undefined
      const copy = room && untried.shift()
      if (room && copy) running.set(copy, tryCopy(doors, wanted, { copy, slot: room, signal: AbortSignal.any([signal, stop.signal]) }))
      if (running.size === 0) throw new NoCopyGives(copies.length)
      const ended = await firstOf(running, untried.length > 0 ? limits.hedge : undefined)
      if (!ended) continue
      running.delete(ended.copy)
      if (ended.isProved) {
        for (const slower of copies.slice(0, copies.indexOf(ended.copy))) if (running.has(slower)) doubts.raise(slower)
        return { slot: ended.slot, length: wanted.length }
      }
      free.push(ended.slot)
    }
  } finally {
    stop.abort()
    for (const { release } of free) release()
    // Their memory is free once nothing is written to it any more.
    for (const attempt of running.values()) attempt.then((ended) => ended.slot.release())
  }
}

/** The first attempt that ends; undefined when none has after `ms`. */
async function firstOf(running: ReadonlyMap<unknown, Promise<Attempt>>, ms: number | undefined): Promise<Attempt | undefined> {
  if (ms === undefined) return Promise.race(running.values())
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  try {
    return await Promise.race([...running.values(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Never rejects. */
async function tryCopy(
  doors: FetchDoors,
  wanted: WantedChunk,
  { copy, slot, signal }: { readonly copy: ReadableCopy; readonly slot: Slot; readonly signal: AbortSignal },
): Promise<Attempt> {
  const { doubts, log } = doors
  const names = { provider: copy.serviceUrl, piece: copy.pieceCid }
  try {
    const bytes = slot.bytes.subarray(0, wanted.length)
    await download(doors, wanted, { copy, bytes, signal })
    if (wanted.proves(bytes)) return { copy, slot, isProved: true }
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
  { providers, limits }: FetchDoors,
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
