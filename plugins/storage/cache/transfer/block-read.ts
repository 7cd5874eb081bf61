/** @walk read 4: verifies a cached object before its last block */
import { hash } from 'node:crypto'
import type { Disk } from '../files/disk.ts'
import { checksumsOf } from '../verification/block-checksums.ts'
import { DamagedBlob, type RunningDigest } from '../verification/whole-read.ts'
import type { Block, BodyMemory } from './body-memory.ts'
import type { DigestPool } from './digest-pool.ts'
import type { FileBlocks, Wanted } from './transfers.ts'

interface BlockReadDeps {
  readonly disk: Disk
  readonly memory: BodyMemory
  readonly digests: Pick<DigestPool, 'beginOne'>
}

interface Filled {
  readonly block: Block
  readonly bytes: Block
}

type Loaded = Filled | { readonly fault: unknown }

/** One read of an open file into blocks of body memory. While the consumer uses one block, the next one is read. */
export class BlockRead implements FileBlocks {
  readonly #deps: BlockReadDeps
  readonly #descriptor: number
  readonly #wanted: Wanted
  readonly #held = new Set<Block>()
  /** Reads and hashing that use the held blocks. */
  readonly #busy = new Set<Promise<unknown>>()
  #digest: RunningDigest | undefined
  #kept: Uint8Array | undefined
  #isClosed = false
  #closing: Promise<void> | undefined

  constructor(deps: BlockReadDeps, descriptor: number, wanted: Wanted) {
    this.#deps = deps
    this.#descriptor = descriptor
    this.#wanted = wanted
  }

  async *blocks(): AsyncGenerator<Uint8Array, void, void> {
    const { start, end, lends } = this.#wanted
    try {
      let position = start
      let loading = this.#load(await this.#deps.memory.take(), position)
      for (;;) {
        const { block, bytes } = this.#open(await loading)
        const at = position
        position += bytes.length
        const isLast = position > end
        const hashed = this.#hash(bytes, isLast)
        const ahead = isLast || !lends ? undefined : this.#loadAhead(position)
        if (isLast) await this.#verify(bytes, hashed)
        // The block was given back and may have other bytes by now.
        if (this.#isClosed) throw closed()
        yield* this.#pass(block, this.#cut(bytes, at, isLast), hashed)
        if (isLast) return
        loading = ahead ?? this.#load(await this.#deps.memory.take(), position)
      }
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  /** The bytes of a block for the consumer. Its last ones are kept until the bytes after them are compared. */
  #cut(bytes: Block, at: number, isLast: boolean): Uint8Array {
    if (!this.#wanted.only) return bytes
    const { start, end } = this.#wanted.only
    const to = end + 1 - at
    const wanted = bytes.subarray(Math.max(0, start - at), Math.max(0, to))
    if (isLast) return this.#kept ?? wanted
    if (to <= 0 || to > bytes.length) return wanted
    this.#kept = Buffer.copyBytesFrom(wanted)
    return wanted.subarray(0, 0)
  }

  async *#pass(block: Block, bytes: Uint8Array, hashed: Promise<void> | undefined): AsyncGenerator<Uint8Array, void, void> {
    const own = this.#wanted.lends ? undefined : Buffer.copyBytesFrom(bytes)
    if (!own && bytes.length > 0) yield bytes
    await hashed
    this.#give(block)
    if (own && own.length > 0) yield own
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
      return count === bytes.length ? { block, bytes } : { fault: new Error(`it ends at byte ${position + count}`) }
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
    const { expected } = this.#wanted
    if (expected === undefined) return undefined
    // A single block is hashed faster than it is handed to a thread.
    if (isLast && this.#digest === undefined) return undefined
    this.#digest ??= this.#deps.digests.beginOne(expected.name)
    return this.#using(Promise.resolve(this.#digest.add(bytes)))
  }

  async #verify(bytes: Block, hashed: Promise<void> | undefined): Promise<void> {
    const { expected, onVerified } = this.#wanted
    if (expected === undefined) return
    const { name, hex } = expected
    await hashed
    const computed = this.#digest ? await this.#digest.end() : name === 'sha256' ? hash(name, bytes) : checksumsOf(bytes).toString('hex')
    if (computed !== hex) throw new DamagedBlob(name === 'sha256' ? hex : undefined)
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
