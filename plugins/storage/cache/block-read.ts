import { hash } from 'node:crypto'
import type { Block, BodyMemory } from './body-memory.ts'
import type { DigestPool } from './digest-pool.ts'
import type { Disk } from './disk.ts'
import { DamagedBlob, type RunningDigest } from './whole-read.ts'

export interface BlockReadDeps {
  readonly disk: Disk
  readonly memory: BodyMemory
  readonly digests: Pick<DigestPool, 'beginSha256'>
}

interface Wanted {
  /** Inclusive. */
  readonly start: number
  readonly end: number
  /** Lower-case hex: the bytes are compared with it before the last block is yielded (I-30). */
  readonly sha256?: string
  readonly onVerified?: () => void
  /** Else the consumer gets copies, and the read holds no block while the consumer uses one. */
  readonly lends: boolean
}

interface Filled {
  readonly block: Block
  readonly bytes: Block
}

type Loaded = Filled | { readonly fault: unknown }

/** One read of an open file into blocks of body memory. While the consumer uses one block, the next one is read. */
export class BlockRead implements AsyncDisposable {
  readonly #deps: BlockReadDeps
  readonly #descriptor: number
  readonly #wanted: Wanted
  readonly #held = new Set<Block>()
  /** Reads and hashing that use the held blocks. */
  readonly #busy = new Set<Promise<unknown>>()
  #digest: RunningDigest | undefined
  #isClosed = false
  #closing: Promise<void> | undefined

  constructor(deps: BlockReadDeps, descriptor: number, wanted: Wanted) {
    this.#deps = deps
    this.#descriptor = descriptor
    this.#wanted = wanted
  }

  /** A lent block is valid until the next is requested or the read ends. @throws DamagedBlob, or an error of the disk */
  async *blocks(): AsyncGenerator<Uint8Array, void, void> {
    const { start, end, lends } = this.#wanted
    try {
      let position = start
      let loading = this.#load(await this.#deps.memory.take(), position)
      for (;;) {
        const { block, bytes } = this.#open(await loading)
        position += bytes.length
        const isLast = position > end
        const hashed = this.#hash(bytes, isLast)
        const ahead = isLast || !lends ? undefined : this.#loadAhead(position)
        if (isLast) await this.#verify(bytes, hashed)
        // The block was given back and may have other bytes by now.
        if (this.#isClosed) throw closed()
        yield* this.#pass({ block, bytes }, hashed)
        if (isLast) return
        loading = ahead ?? this.#load(await this.#deps.memory.take(), position)
      }
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  async *#pass({ block, bytes }: Filled, hashed: Promise<void> | undefined): AsyncGenerator<Uint8Array, void, void> {
    const own = this.#wanted.lends ? undefined : Buffer.copyBytesFrom(bytes)
    if (!own) yield bytes
    await hashed
    this.#give(block)
    if (own) yield own
  }

  /** Ends the read and gives its blocks back when nothing uses them any more. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await Promise.all(this.#busy)
    for (const block of this.#held) this.#give(block)
    this.#digest?.[Symbol.dispose]()
  }

  /** A second block is not worth the wait. */
  #loadAhead(position: number): Promise<Loaded> | undefined {
    const block = this.#deps.memory.tryTake()
    return block && this.#load(block, position)
  }

  #load(block: Block, position: number): Promise<Loaded> {
    this.#held.add(block)
    if (!this.#isClosed) return this.#using(this.#fill(block, position))
    this.#give(block)
    return Promise.resolve({ fault: closed() })
  }

  /** Resolves to a fault instead of rejecting: a block read ahead may never be awaited. */
  async #fill(block: Block, position: number): Promise<Loaded> {
    try {
      const bytes = block.subarray(0, Math.min(block.length, this.#wanted.end - position + 1))
      const count = await this.#deps.disk.read(this.#descriptor, bytes, position)
      return count === bytes.length ? { block, bytes } : { fault: new Error(`the file ends at byte ${position + count}`) }
    } catch (fault) {
      return { fault }
    }
  }

  #open(loaded: Loaded): Filled {
    if ('fault' in loaded) throw loaded.fault
    if (this.#isClosed) throw closed()
    return loaded
  }

  #hash(bytes: Block, isLast: boolean): Promise<void> | undefined {
    if (this.#wanted.sha256 === undefined) return undefined
    // A single block is hashed faster than it is handed to a thread.
    if (isLast && this.#digest === undefined) return undefined
    this.#digest ??= this.#deps.digests.beginSha256()
    return this.#using(Promise.resolve(this.#digest.add(bytes)))
  }

  async #verify(bytes: Block, hashed: Promise<void> | undefined): Promise<void> {
    const { sha256, onVerified } = this.#wanted
    if (sha256 === undefined) return
    await hashed
    const computed = this.#digest ? await this.#digest.end() : hash('sha256', bytes)
    if (computed !== sha256) throw new DamagedBlob(sha256)
    onVerified?.()
  }

  #using<T>(work: Promise<T>): Promise<T> {
    this.#busy.add(work)
    return work.finally(() => this.#busy.delete(work))
  }

  #give(block: Block): void {
    if (this.#held.delete(block)) this.#deps.memory.give(block)
  }
}

const closed = (): Error => new Error('the object was closed during the read')
