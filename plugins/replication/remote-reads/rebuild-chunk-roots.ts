import type { Database } from '#kernel'
import { freePiece } from '#plugins/storage'
import { keepChunkRoots, type StoredPiece } from '../copies/records/chunk-roots-store.ts'
import type { ReadableCopy } from '../copies/records/placement-store.ts'
import { replicationErrors } from '../errors.ts'
import { beginWholeProof } from './content-proof.ts'
import { NoReadableCopy } from './fetch-chunk.ts'
import { watchRate } from './minimum-rate.ts'
import { CopyMissing, openCopy } from './open-copy.ts'
import type { CopyDeps } from './try-copy.ts'

interface RebuildDeps extends CopyDeps {
  readonly database: Database
  /** Aborts running rebuilds. */
  readonly lifetime: AbortSignal
}

export interface ProvablePiece extends StoredPiece {
  readonly pieceCid: string
  readonly size: number
}

const retryAfterSeconds = 10

/**
 * For piece CIDs computed before chunk roots were recorded: reads and verifies a whole copy, and records the chunk roots. A rebuild
 * continues when its reader is closed, so that the next reader finds the result.
 */
export function createChunkRootsRebuilder(deps: RebuildDeps) {
  const { limits } = deps
  const running = new Map<number, Promise<Uint8Array>>()

  function begin(piece: ProvablePiece, copies: readonly ReadableCopy[]): Promise<Uint8Array> {
    const rebuild = rebuildChunkRoots(deps, piece, copies).finally(() => running.delete(piece.pieceId))
    // All its readers may have been refused by then.
    rebuild.catch(() => undefined)
    running.set(piece.pieceId, rebuild)
    return rebuild
  }

  /** @throws NoReadableCopy; replicationErrors.remote_reads_busy when it takes longer than `rebuildWait`, or too many others run */
  return async function rebuild(piece: ProvablePiece, copies: readonly ReadableCopy[]): Promise<Uint8Array> {
    const known = running.get(piece.pieceId)
    if (!known && running.size >= limits.rebuildsMax) throw busy(`${limits.rebuildsMax} other objects are being checked as a whole`)
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(busy('the object is being checked as a whole')), limits.rebuildWait)
    try {
      return await Promise.race([known ?? begin(piece, copies), late])
    } finally {
      clearTimeout(timer)
    }
  }
}

async function rebuildChunkRoots(deps: RebuildDeps, piece: ProvablePiece, copies: readonly ReadableCopy[]): Promise<Uint8Array> {
  const { database, suspects, log, lifetime } = deps
  for (const copy of copies) {
    const names = { provider: copy.serviceUrl, piece: copy.pieceCid }
    try {
      const chunkRoots = await hashCopy(deps, piece, copy)
      if (chunkRoots) {
        await database.write((tx) => keepChunkRoots(tx, piece, chunkRoots))
        return chunkRoots
      }
      log.warn('copy content mismatch', names)
      suspects.add(copy, 'wrong_bytes')
    } catch (error) {
      lifetime.throwIfAborted()
      log.warn('copy cannot be read', { ...names, error })
      suspects.add(copy, error instanceof CopyMissing ? 'missing' : undefined)
    }
  }
  throw new NoReadableCopy(copies.length)
}

/** Returns undefined when the copy has other bytes. @throws Error when the answer is incomplete or below the minimum rate */
async function hashCopy(deps: RebuildDeps, piece: ProvablePiece, copy: ReadableCopy): Promise<Uint8Array | undefined> {
  const { providers, limits, lifetime } = deps
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
      freePiece(block)
    }
  } catch (error) {
    tooSlow.signal.throwIfAborted()
    throw error
  }
  if (left > 0) throw new Error(`the answer ended ${left} bytes early`)
  return proof.chunkRoots()
}

function busy(detail: string): Error {
  return replicationErrors.remote_reads_busy({ message: `the bytes cannot be verified yet: ${detail}; try again`, retryAfterSeconds })
}
