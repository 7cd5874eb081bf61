import type { ChunkBudget, Slot } from './chunk-budget.ts'

export interface FetchedChunk {
  /** Holds the bytes; not always the given one. */
  readonly slot: Slot
  readonly length: number
}

/** Brings a chunk into the slot, or another one. Releases the slot when it fails. */
export type FetchChunk = (slot: Slot, signal: AbortSignal) => Promise<FetchedChunk>

/** A reader's share of a chunk. */
export interface ChunkLease {
  /** The bytes, until the release. */
  readonly bytes: Promise<Uint8Array>
  /** The last release ends the fetch and frees the memory. */
  release(): void
}

export interface SharedChunks {
  lease(name: string, fetch: FetchChunk): ChunkLease
  /** Only if another reader has the chunk, or more than `leaving` slots are free. */
  tryLease(name: string, fetch: FetchChunk, leaving: number): ChunkLease | undefined
}

/** Readers of the same chunk share one fetch and one slot. A reader that goes away changes nothing for the others. */
export function createSharedChunks(budget: ChunkBudget): SharedChunks {
  const chunks = new Map<string, SharedChunk>()

  function begin(name: string, fetch: FetchChunk, slot?: Slot): ChunkLease {
    const chunk: SharedChunk = new SharedChunk(() => {
      if (chunks.get(name) === chunk) chunks.delete(name)
    })
    chunks.set(name, chunk)
    chunk.start(slot ?? budget.take(chunk.signal), fetch)
    return chunk.lease()
  }

  return {
    lease: (name, fetch) => chunks.get(name)?.lease() ?? begin(name, fetch),
    tryLease(name, fetch, leaving) {
      const known = chunks.get(name)
      if (known) return known.lease()
      const slot = budget.tryTake(leaving)
      return slot && begin(name, fetch, slot)
    },
  }
}

class SharedChunk {
  readonly #stop = new AbortController()
  /** No further reader may share it. */
  readonly #close: () => void
  #readers = 0
  #slot: Slot | undefined
  #bytes: Promise<Uint8Array> | undefined

  constructor(close: () => void) {
    this.#close = close
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  start(slot: Slot | Promise<Slot>, fetch: FetchChunk): void {
    this.#bytes = this.#fetch(slot, fetch)
    // A chunk that is fetched ahead may fail before its reader comes to it.
    this.#bytes.catch(() => this.#close())
  }

  lease(): ChunkLease {
    const bytes = this.#bytes
    if (!bytes) throw new Error('a chunk was shared before its fetch began')
    this.#readers++
    let isReleased = false
    return {
      bytes,
      release: () => {
        if (isReleased) return
        isReleased = true
        this.#readers--
        if (this.#readers > 0) return
        this.#close()
        this.#stop.abort()
        this.#slot?.release()
      },
    }
  }

  async #fetch(given: Slot | Promise<Slot>, fetch: FetchChunk): Promise<Uint8Array> {
    const { slot, length } = await fetch(await given, this.signal)
    // The last reader went away while the bytes arrived.
    if (this.signal.aborted) {
      slot.release()
      this.signal.throwIfAborted()
    }
    this.#slot = slot
    return slot.bytes.subarray(0, length)
  }
}
