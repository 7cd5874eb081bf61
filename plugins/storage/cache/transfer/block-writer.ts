import type { ChecksumAlgorithm } from '../../contract.ts'
import type { BodyFile } from './body-file.ts'
import type { Block, BodyMemory } from './body-memory.ts'
import type { DigestPool, RunningDigests } from './digest-pool.ts'
import { type FileDigests, fileDigestsOf, namedDigests, passesOf } from './digests.ts'

/** Blocks of one body that are hashed and written while the next one fills. */
const inFlightMax = 2

export interface BlockWriterDeps {
  readonly memory: BodyMemory
  readonly digests: Pick<DigestPool, 'begin'>
}

/** Bytes of a followed file that its readers may wait for while the source pauses. */
const followedBytesMax = 256 * 1024

interface BlockWriterOptions {
  readonly checksum?: ChecksumAlgorithm | undefined
  /** Others read the file while it is written: write smaller parts. */
  readonly isFollowed?: boolean | undefined
}

/** Copies a body into blocks of body memory, and hashes and writes each block. A body of one block is hashed on this thread, a larger one on others. */
export class BlockWriter implements AsyncDisposable {
  readonly #deps: BlockWriterDeps
  readonly #file: Pick<BodyFile, 'write'>
  readonly #checksum: ChecksumAlgorithm | undefined
  readonly #isFollowed: boolean
  readonly #inFlight = new Set<Promise<void>>()
  #filling: { readonly block: Block; readonly untilStuck: Disposable } | undefined
  #filled = 0
  #size = 0
  #digests: RunningDigests | undefined
  /** Followers of the file need its bytes in their order. */
  #writing: Promise<void> = Promise.resolve()
  #fault: unknown

  constructor(deps: BlockWriterDeps, file: Pick<BodyFile, 'write'>, { checksum, isFollowed = false }: BlockWriterOptions) {
    this.#deps = deps
    this.#file = file
    this.#checksum = checksum
    this.#isFollowed = isFollowed
  }

  /** The piece may be changed when the returned promise has resolved, or at once without one. Rejects with an earlier fault of the disk. */
  add(piece: Uint8Array): Promise<void> | undefined {
    const rest = this.#copy(piece)
    return rest && this.#addRest(rest)
  }

  /** Resolves when all bytes are written. */
  async finish(): Promise<FileDigests> {
    if (this.#digests === undefined) return this.#finishOnly()
    this.#submit()
    await Promise.all(this.#inFlight)
    this.#throwFault()
    return namedDigests(this.#size, await this.#digests.end(), this.#checksum)
  }

  /** Resolves when the file and the blocks are no longer used. */
  async [Symbol.asyncDispose](): Promise<void> {
    const unused = this.#takeFilling()
    if (unused) this.#deps.memory.give(unused)
    await Promise.all(this.#inFlight)
    this.#digests?.[Symbol.dispose]()
  }

  async #addRest(piece: Uint8Array): Promise<void> {
    for (let rest: Uint8Array | undefined = piece; rest; rest = this.#copy(rest)) {
      while (this.#inFlight.size >= inFlightMax) await Promise.race(this.#inFlight)
      this.#throwFault()
      const block = await this.#deps.memory.take()
      this.#filling = { block, untilStuck: this.#deps.memory.onStuck(() => this.#submit()) }
    }
  }

  /** Returns the bytes without room. */
  #copy(piece: Uint8Array): Uint8Array | undefined {
    if (!this.#filling) return piece
    const { block } = this.#filling
    const room = this.#isFollowed ? Math.min(block.length, followedBytesMax) : block.length
    const taken = Math.min(piece.length, room - this.#filled)
    block.set(taken < piece.length ? piece.subarray(0, taken) : piece, this.#filled)
    this.#filled += taken
    this.#size += taken
    if (this.#filled === room) this.#submit()
    return taken < piece.length ? piece.subarray(taken) : undefined
  }

  #takeFilling(): Block | undefined {
    const filling = this.#filling
    this.#filling = undefined
    filling?.untilStuck[Symbol.dispose]()
    return filling?.block
  }

  /** Hashes and writes the bytes of the block at once, then gives it back. */
  #submit(): void {
    const block = this.#takeFilling()
    if (!block) return
    const bytes = block.subarray(0, this.#filled)
    this.#filled = 0
    this.#digests ??= this.#deps.digests.begin(passesOf(this.#checksum))
    const flight = Promise.all([this.#digests.add(bytes), this.#write(bytes)]).then(() => {
      this.#deps.memory.give(block)
      this.#inFlight.delete(flight)
    })
    this.#inFlight.add(flight)
  }

  #write(bytes: Block): Promise<void> {
    const position = this.#size - bytes.length
    this.#writing = this.#writing.then(async () => {
      if (this.#fault !== undefined) return
      try {
        if (bytes.length > 0) await this.#file.write(bytes, position, { isMemoryShort: this.#deps.memory.isShort })
      } catch (error) {
        this.#fault = error
      }
    })
    return this.#writing
  }

  async #finishOnly(): Promise<FileDigests> {
    const block = this.#takeFilling()
    if (!block) return fileDigestsOf(new Uint8Array(0), this.#checksum)
    try {
      const bytes = block.subarray(0, this.#filled)
      const written = this.#write(bytes)
      const digests = await fileDigestsOf(bytes, this.#checksum)
      await written
      this.#throwFault()
      return digests
    } finally {
      await this.#writing
      this.#deps.memory.give(block)
    }
  }

  #throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault
  }
}
