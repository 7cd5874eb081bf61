import type { ChunkBudget, IdleReader } from './chunk-budget.ts'
import type { ChunkLease } from './shared-chunks.ts'

interface Kept {
  readonly lease: ChunkLease
  readonly length: number
  readonly reader: IdleReader
  readonly timer: NodeJS.Timeout
}

/** Keeps the chunks that were read last, for reads of other members of the same pack. A read that needs the memory gets it at once. */
export interface RecentChunks extends Disposable {
  /** Takes over the lease, unless the chunk is kept already. */
  keep(name: string, length: number, lease: ChunkLease): void
}

export function createRecentChunks(
  budget: Pick<ChunkBudget, 'pause' | 'resume'>,
  { bytesMax, keepMs }: { readonly bytesMax: number; readonly keepMs: number },
): RecentChunks {
  /** The least recently read first. */
  const kept = new Map<string, Kept>()
  let keptBytes = 0

  function drop(name: string): void {
    const entry = kept.get(name)
    if (!entry) return
    kept.delete(name)
    keptBytes -= entry.length
    clearTimeout(entry.timer)
    budget.resume(entry.reader)
    entry.lease.release()
  }

  return {
    keep(name, length, lease) {
      drop(name)
      const timer = setTimeout(() => drop(name), keepMs)
      timer.unref()
      // Held for ever, so that the budget takes it before the chunks of readers.
      const reader: IdleReader = { heldSinceMs: Number.NEGATIVE_INFINITY, releaseChunks: () => drop(name) }
      kept.set(name, { lease, length, reader, timer })
      keptBytes += length
      budget.pause(reader)
      // A chunk that could not be fetched is fetched again by its next reader.
      lease.bytes.catch(() => drop(name))
      for (const oldest of kept.keys()) {
        if (keptBytes <= bytesMax || oldest === name) return
        drop(oldest)
      }
    },
    [Symbol.dispose]() {
      for (const name of [...kept.keys()]) drop(name)
    },
  }
}
