/** @walk read 12: lets readers of the same chunk share its fetch, within the memory of all reads */
import type { ChunkBudget } from './chunk-budget.ts'
import type { Slot } from './chunk-memory.ts'

export interface ChunkFetch {
  /** Length of the chunk in bytes. */
  readonly length: number
  /** Fetches the bytes into the slot or another one, and returns the slot that holds them. Releases the slot when it fails. */
  fetch(slot: Slot, signal: AbortSignal): Promise<Slot>
}

/** A reader's share of a chunk. */
export interface ChunkLease {
  /** Valid until the release. */
  readonly bytes: Promise<Uint8Array>
  /** The last release aborts the fetch and frees the memory. */
  release(): void
}

export interface SharedChunks {
  /** Whether a reader has the chunk, or waits for it. */
  has(name: string): boolean
  lease(name: string, fetch: ChunkFetch): ChunkLease
  /**
   * Returns undefined unless another reader has the chunk in memory, or memory is free for it and `keepFree` more bytes. A chunk that waits for
   * memory is not shared here: readers that hold later chunks while they wait for it could keep all memory from each other.
   */
  tryLease(name: string, fetch: ChunkFetch, keepFree: number): ChunkLease | undefined
}

/** Readers of the same chunk share one fetch and one slot. A closed reader does not affect the others. */
export function createSharedChunks(budget: ChunkBudget): SharedChunks {
  const chunks = new Map<string, SharedChunk>()

  function begin(name: string, fetch: ChunkFetch, slot?: Slot): ChunkLease {
    const chunk: SharedChunk = new SharedChunk(() => {
      if (chunks.get(name) === chunk) chunks.delete(name)
    })
    chunks.set(name, chunk)
    chunk.start(slot ?? budget.take(fetch.length, chunk.signal), fetch)
    return chunk.lease()
  }

  return {
    has: (name) => chunks.has(name),
    lease: (name, fetch) => chunks.get(name)?.lease() ?? begin(name, fetch),
    tryLease(name, fetch, keepFree) {
      const known = chunks.get(name)
      if (known) return known.hasMemory ? known.lease() : undefined
      const slot = budget.tryTake(fetch.length, keepFree)
      return slot && begin(name, fetch, slot)
    },
  }
}

class SharedChunk {
  readonly #stop = new AbortController()
  /** Ends sharing: no further reader may lease the chunk. */
  readonly #close: () => void
  #readers = 0
  #hasMemory = false
  #slot: Slot | undefined
  #bytes: Promise<Uint8Array> | undefined

  constructor(close: () => void) {
    this.#close = close
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get hasMemory(): boolean {
    return this.#hasMemory
  }

  start(slot: Slot | Promise<Slot>, fetch: ChunkFetch): void {
    this.#bytes = this.#fetch(slot, fetch)
    // A prefetched chunk may fail before its reader awaits it.
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

  async #fetch(given: Slot | Promise<Slot>, { fetch }: ChunkFetch): Promise<Uint8Array> {
    const memory = await given
    this.#hasMemory = true
    const slot = await fetch(memory, this.signal)
    // The last reader released the chunk during the fetch.
    if (this.signal.aborted) {
      slot.release()
      this.signal.throwIfAborted()
    }
    this.#slot = slot
    return slot.bytes
  }
}
