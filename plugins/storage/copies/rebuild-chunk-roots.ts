import type { Database } from '#kernel'
import { storageErrors } from '../errors.ts'
import { keepChunkRoots, type StoredPiece } from './chunk-roots-store.ts'
import { beginWholeProof } from './content-proof.ts'
import { NoCopyGives } from './fetch-chunk.ts'
import { watchRate } from './minimum-rate.ts'
import { openCopy } from './open-copy.ts'
import type { ReadableCopy } from './placement-store.ts'
import type { CopyDoors } from './try-copy.ts'

export interface RebuildDoors extends CopyDoors {
  readonly database: Database
  /** Ends rebuilds under way. */
  readonly lifetime: AbortSignal
}

export interface ProvablePiece extends StoredPiece {
  readonly pieceCid: string
  readonly size: number
}

const retryAfterSeconds = 10

/**
 * For pieces whose piece CID was computed before chunk roots were kept: reads a copy as a whole, hands nothing on, and keeps the chunk
 * roots. A rebuild goes on when its reader goes away, so that the next one finds it done.
 */
export function createChunkRootsRebuilder(doors: RebuildDoors) {
  const { limits } = doors
  const underWay = new Map<number, Promise<Uint8Array>>()

  function begin(piece: ProvablePiece, copies: readonly ReadableCopy[]): Promise<Uint8Array> {
    const rebuild = rebuildChunkRoots(doors, piece, copies).finally(() => underWay.delete(piece.pieceId))
    // Its readers may all have been refused by then.
    rebuild.catch(() => undefined)
    underWay.set(piece.pieceId, rebuild)
    return rebuild
  }

  /** @throws NoCopyGives; storageErrors.remote_reads_busy when it is not done in time, or too many others are under way */
  return async function rebuild(piece: ProvablePiece, copies: readonly ReadableCopy[]): Promise<Uint8Array> {
    const known = underWay.get(piece.pieceId)
    if (!known && underWay.size >= limits.rebuildsMax) throw busy(`${limits.rebuildsMax} other objects are being checked as a whole`)
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(busy('the object is being checked as a whole')), limits.rebuildWait)
    try {
      return await Promise.race([known ?? begin(piece, copies), late])
    } finally {
      clearTimeout(timer)
    }
  }
}

async function rebuildChunkRoots(doors: RebuildDoors, piece: ProvablePiece, copies: readonly ReadableCopy[]): Promise<Uint8Array> {
  const { database, doubts, log, lifetime } = doors
  for (const copy of copies) {
    const names = { provider: copy.serviceUrl, piece: copy.pieceCid }
    try {
      const chunkRoots = await hashCopy(doors, piece, copy)
      if (chunkRoots) {
        await database.write((tx) => keepChunkRoots(tx, piece, chunkRoots))
        return chunkRoots
      }
      log.warn('copy content mismatch', names)
    } catch (error) {
      lifetime.throwIfAborted()
      log.warn('a copy cannot be read', { ...names, error })
    }
    doubts.raise(copy)
  }
  throw new NoCopyGives(copies.length)
}

/** Undefined when the copy has other bytes. @throws Error when it does not give all bytes, or too slowly */
async function hashCopy(doors: RebuildDoors, piece: ProvablePiece, copy: ReadableCopy): Promise<Uint8Array | undefined> {
  const { providers, limits, lifetime } = doors
  const tooSlow = new AbortController()
  using rate = watchRate(limits, (error) => tooSlow.abort(error))
  const proof = beginWholeProof(piece)
  let left = piece.size
  try {
    const signal = AbortSignal.any([lifetime, tooSlow.signal])
    const { stream } = await openCopy(providers.client(copy.serviceUrl), copy.pieceCid, { signal })
    for await (const block of stream as AsyncIterable<Buffer>) {
      left -= block.length
      if (left < 0) return undefined
      proof.add(block)
      rate.add(block.length)
    }
  } catch (error) {
    tooSlow.signal.throwIfAborted()
    throw error
  }
  if (left > 0) throw new Error(`the answer ended ${left} bytes early`)
  return proof.chunkRoots()
}

function busy(detail: string): Error {
  return storageErrors.remote_reads_busy({ message: `the bytes cannot be proved right yet: ${detail}; try again`, retryAfterSeconds })
}
