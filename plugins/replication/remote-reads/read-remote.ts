/** @walk read 10: reads the needed chunks of 1 MiB */
import type { Clock, Database, Log } from '#kernel'
import type { Providers } from '#plugins/providers'
import { type ByteRange, contentErrors, type ObjectVersion, type OpenedObject, type ReadOptions } from '#plugins/storage'
import { findStoredPiece } from '../copies/records/chunk-roots-store.ts'
import { readableCopies } from '../copies/records/placement-store.ts'
import { areChunkRootsOf, isChunk } from '../pieces/chunk-roots.ts'
import { chunkRawBytes } from '../pieces/piece-size.ts'
import type { FailedResult } from '../standing/doubt-store.ts'
import { createChunkBudget } from './chunk-budget.ts'
import type { Slot } from './chunk-memory.ts'
import { ChunkWindow } from './chunk-window.ts'
import { isContent } from './content-proof.ts'
import { type FetchDeps, fetchChunk, NoReadableCopy } from './fetch-chunk.ts'
import { chunkAt, readAhead } from './read-ahead.ts'
import { createChunkRootsRebuilder, type ProvablePiece } from './rebuild-chunk-roots.ts'
import { type AheadCounts, createRecentChunks, type RecentChunks } from './recent-chunks.ts'
import { blockBytes, type RemoteReadLimits, remoteReadLimits } from './remote-read-limits.ts'
import { type ChunkFetch, createSharedChunks, type SharedChunks } from './shared-chunks.ts'
import { createSuspectCopies } from './suspect-copies.ts'

interface RemoteReaderDeps {
  readonly database: Database
  readonly providers: Pick<Providers, 'client' | 'report'>
  readonly clock: Clock
  readonly log: Log
  /** Records that a provider denied the copy. */
  suspect(denial: { readonly copyId: number; readonly result: FailedResult }): Promise<void>
  /** Overrides for tests. */
  readonly limits?: Partial<RemoteReadLimits>
}

/** Reads uncached versions from their stored copies, chunk by chunk; every chunk is proved before its bytes are returned (I-31). */
export interface RemoteReader extends AsyncDisposable {
  open(version: ObjectVersion, contentId: number): Promise<OpenedObject>
  /** Memory in use by all reads, in bytes. */
  readonly usedBytes: number
  memory(): { readonly budgetBytes: number; readonly usedBytes: number }
  readonly aheadCounts: Readonly<AheadCounts>
}

interface Shared extends FetchDeps {
  readonly database: Database
  readonly chunks: SharedChunks
  readonly recent: RecentChunks
  readonly rebuild: ReturnType<typeof createChunkRootsRebuilder>
}

const retryAfterSeconds = 10

export function createRemoteReader({ clock, ...deps }: RemoteReaderDeps): RemoteReader {
  const limits = { ...remoteReadLimits, ...deps.limits }
  const budget = createChunkBudget(limits)
  const suspects = createSuspectCopies(clock, ({ copyId }, result) => {
    deps
      .suspect({ copyId, result })
      .catch((error: unknown) => deps.log.warn('a suspect copy could not be recorded', { copy: copyId, error }))
  })
  const lifetime = new AbortController()
  const recent = createRecentChunks(budget, limits)
  const rebuild = createChunkRootsRebuilder({ ...deps, suspects, limits, lifetime: lifetime.signal })
  const shared: Shared = { ...deps, suspects, limits, budget, chunks: createSharedChunks(budget), recent, rebuild }
  return {
    async open(version, contentId) {
      const stop = new AbortController()
      const signal = AbortSignal.any([stop.signal, lifetime.signal])
      return {
        version,
        source: 'provider',
        isProved: true,
        read: (range, options) =>
          readRange({ ...shared, version, contentId, signal }, { ...(range ?? { start: 0, end: version.size - 1 }), ...options }),
        async [Symbol.asyncDispose]() {
          stop.abort()
        },
      }
    },
    get usedBytes() {
      return budget.usedBytes
    },
    memory: () => ({ budgetBytes: limits.bytesMax, usedBytes: budget.usedBytes }),
    aheadCounts: recent.aheadCounts,
    async [Symbol.asyncDispose]() {
      lifetime.abort(new Error('the service is stopping'))
      recent[Symbol.dispose]()
    },
  }
}

interface Reading extends Shared {
  readonly version: ObjectVersion
  readonly contentId: number
  readonly signal: AbortSignal
}

/** A block is a copy, because a reader that pauses loses its chunks. */
async function* readRange(
  reading: Reading,
  { start, end, lends = false, expectsMore = false }: ByteRange & ReadOptions,
): AsyncIterable<Uint8Array> {
  const lent = lends ? Buffer.allocUnsafeSlow(Math.min(blockBytes, end + 1 - start)) : undefined
  try {
    using window = await openWindow(reading, { start, end, expectsMore })
    for (let at = start; at <= end; ) {
      const position = chunkAt(at)
      const from = at - position * chunkRawBytes
      const chunk = await window.read(position, reading.signal)
      const bytes = chunk.subarray(from, from + Math.min(blockBytes, end + 1 - at))
      lent?.set(bytes)
      const block = lent?.subarray(0, bytes.length) ?? Buffer.from(bytes)
      at += block.length
      window.pause()
      yield block
      window.resume()
    }
  } catch (error) {
    if (!(error instanceof NoReadableCopy)) throw error
    throw contentErrors.content_unavailable({
      message: `the bytes of '${reading.version.key}' are not in the cache, and ${error.message} now; try again`,
      retryAfterSeconds,
      cause: error,
    })
  }
}

async function openWindow(reading: Reading, range: ByteRange & Pick<ReadOptions, 'expectsMore'>): Promise<ChunkWindow> {
  const { budget, limits, recent } = reading
  const chunks = chunksOf(reading)
  // A shared chunk has its proof already.
  if (!chunks.has(chunkAt(range.start))) await chunks.findProof()
  const lastPosition = chunkAt(range.end)

  /** Keeps the chunk for reads of other members of the pack, by a second lease, which outlives that of the reader. */
  function keep(position: number): void {
    if (!range.expectsMore) return
    recent.keep({ name: chunks.nameOf(position), length: chunks.lengthOf(position), lease: () => chunks.lease(position) })
    if (position === lastPosition) readAhead({ recent, limits }, chunks, range)
  }

  return new ChunkWindow({
    budget,
    lease(position) {
      const own = chunks.lease(position)
      keep(position)
      return own
    },
    leaseAhead(position) {
      const own = chunks.leaseAhead(position)
      if (own) keep(position)
      return own
    },
    aheadMax: limits.aheadMax,
    lastPosition,
  })
}

type Proof = (bytes: Uint8Array, position: number) => boolean

/** The chunks of a content, which all its readers share. */
function chunksOf(reading: Reading) {
  const { version, contentId, chunks, limits } = reading
  const { size } = version
  let found: Promise<Proof> | undefined
  function findProofOnce(): Promise<Proof> {
    found ??= findProof(reading)
    return found
  }
  const nameOf = (position: number) => `${contentId} ${position}`
  const lengthOf = (position: number) => Math.min(chunkRawBytes, size - position * chunkRawBytes)
  function fetchOf(position: number): ChunkFetch {
    const length = lengthOf(position)
    return {
      length,
      async fetch(slot, signal) {
        const [proves, copies] = await releasedOnError(slot, async () => [await findProofOnce(), await copiesOf(reading)] as const)
        const wanted = {
          ...{ start: position * chunkRawBytes, length, isWhole: length === size },
          proves: (bytes: Uint8Array) => proves(bytes, position),
        }
        return fetchChunk(reading, wanted, copies, { slot, signal })
      },
    }
  }
  return {
    nameOf,
    lengthOf,
    lastPosition: chunkAt(size - 1),
    findProof: findProofOnce,
    has: (position: number) => chunks.has(nameOf(position)),
    lease: (position: number) => chunks.lease(nameOf(position), fetchOf(position)),
    leaseAhead: (position: number) => chunks.tryLease(nameOf(position), fetchOf(position), limits.bytesMax / 2),
  }
}

/** Looked up for every chunk, because copies may change during a long read. */
const copiesOf = async ({ database, suspects, contentId }: Reading) => suspects.trustedFirst(await readableCopies(database.read, contentId))

async function releasedOnError<T>(slot: Slot, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    slot.release()
    throw error
  }
}

/** Returns the check of a chunk's bytes: by SHA-256 for one chunk, by chunk roots for more. */
async function findProof(reading: Reading): Promise<Proof> {
  const { database, contentId, version, rebuild } = reading
  const found = await findStoredPiece(database.read, contentId)
  if (!found || found.pieceCid === null) throw new NoReadableCopy(0)
  const piece: ProvablePiece = { ...found, pieceCid: found.pieceCid, size: version.size }
  if (version.size <= chunkRawBytes) return (bytes) => isContent(bytes, piece)
  const { chunkRoots } = piece
  const isKept = chunkRoots !== null && areChunkRootsOf(piece.pieceCid, chunkRoots)
  const roots = isKept ? chunkRoots : await rebuild(piece, await copiesOf(reading))
  return (bytes, position) => isChunk(bytes, roots, position)
}
