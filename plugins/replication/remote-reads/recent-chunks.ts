import type { ChunkBudget, IdleReader } from './chunk-budget.ts'
import type { Order } from './read-ahead-policy.ts'
import type { RemoteReadLimits } from './remote-read-limits.ts'
import type { ChunkLease } from './shared-chunks.ts'

interface Kept {
  readonly name: string
  readonly lease: ChunkLease
  readonly length: number
  readonly reader: IdleReader
  readonly timer: NodeJS.Timeout
  /** Was fetched ahead, and no read asked for it yet. */
  isAhead: boolean
  /** Reads in order that end in this chunk. */
  order: Order | undefined
}

/** A chunk with its name and length in bytes. Its lease is taken over. */
interface KeptChunk {
  readonly name: string
  readonly length: number
  lease(): ChunkLease
}

/** Since the start. */
export interface AheadCounts {
  /** Chunks that were fetched ahead and then read. */
  used: number
  /** Chunks that were fetched ahead and left the memory unread. */
  unused: number
}

/**
 * Keeps the chunks that were read last, and those that were fetched ahead, for reads of other members of the same pack. A read that needs
 * the memory gets it at once.
 */
export interface RecentChunks extends Disposable {
  /** A read asks for the chunk. */
  keep(chunk: KeptChunk): void
  /** Keeps a chunk that no read asked for yet. False, without a lease, when there are enough of them. */
  keepAhead(chunk: Omit<KeptChunk, 'lease'> & { lease(): ChunkLease | undefined }): boolean
  /** Keeps the chunk longer. False when it is not kept. */
  prolong(name: string): boolean
  orderIn(name: string): Order | undefined
  setOrder(name: string, order: Order): void
  readonly aheadCounts: Readonly<AheadCounts>
}

export function createRecentChunks(
  budget: Pick<ChunkBudget, 'pause' | 'resume'>,
  { keptBytesMax, aheadBytesMax, keep: keepMs }: Pick<RemoteReadLimits, 'keptBytesMax' | 'aheadBytesMax' | 'keep'>,
): RecentChunks {
  /** The least recently read first. */
  const kept = new Map<string, Kept>()
  const aheadCounts: AheadCounts = { used: 0, unused: 0 }
  let keptBytes = 0
  let aheadBytes = 0

  function drop(entry: Kept): void {
    if (kept.get(entry.name) !== entry) return
    kept.delete(entry.name)
    keptBytes -= entry.length
    if (entry.isAhead) {
      aheadBytes -= entry.length
      aheadCounts.unused += 1
    }
    clearTimeout(entry.timer)
    budget.resume(entry.reader)
    entry.lease.release()
  }

  function add({ name, length }: Pick<KeptChunk, 'name' | 'length'>, lease: ChunkLease, isAhead: boolean): void {
    const entry: Kept = {
      ...{ name, length, lease, isAhead, order: undefined },
      timer: setTimeout(() => drop(entry), keepMs).unref(),
      // Held for ever, so that the budget takes it before the chunks of readers.
      reader: { heldSinceMs: Number.NEGATIVE_INFINITY, releaseChunks: () => drop(entry) },
    }
    kept.set(name, entry)
    keptBytes += length
    if (isAhead) aheadBytes += length
    budget.pause(entry.reader)
    // A chunk that could not be fetched is fetched again by its next reader.
    lease.bytes.catch(() => drop(entry))
    makeRoom(name)
  }

  /** Chunks that were fetched ahead stay: they are at most half. */
  function makeRoom(newest: string): void {
    for (const entry of kept.values()) {
      if (keptBytes <= keptBytesMax) return
      if (!entry.isAhead && entry.name !== newest) drop(entry)
    }
  }

  /** Moves the chunk behind all others. */
  function renew(entry: Kept): void {
    entry.timer.refresh()
    kept.delete(entry.name)
    kept.set(entry.name, entry)
    budget.resume(entry.reader)
    budget.pause(entry.reader)
    if (!entry.isAhead) return
    entry.isAhead = false
    aheadBytes -= entry.length
    aheadCounts.used += 1
  }

  return {
    keep(chunk) {
      const entry = kept.get(chunk.name)
      if (entry) renew(entry)
      else add(chunk, chunk.lease(), false)
    },
    keepAhead(chunk) {
      const lease = aheadBytes + chunk.length <= aheadBytesMax ? chunk.lease() : undefined
      if (lease) add(chunk, lease, true)
      return lease !== undefined
    },
    prolong(name) {
      const entry = kept.get(name)
      entry?.timer.refresh()
      return entry !== undefined
    },
    orderIn: (name) => kept.get(name)?.order,
    setOrder(name, order) {
      const entry = kept.get(name)
      if (entry) entry.order = order
    },
    aheadCounts,
    [Symbol.dispose]() {
      for (const entry of [...kept.values()]) drop(entry)
    },
  }
}
