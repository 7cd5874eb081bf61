import type { ChecksumAlgorithm } from '../../contract.ts'
import { type DigestName, type FileDigests, namedDigests, RunningBodyDigests } from '../verification/digests.ts'
import type { BodyFile } from './body-file.ts'
import type { Block, BodyMemory } from './body-memory.ts'
import type { DigestPool, RunningDigests } from './digest-pool.ts'
import type { BodyOptions, NewFile } from './transfers.ts'

/** Blocks of one body that are hashed and written while the next one fills. */
const inFlightMax = 2
/** Bytes of a followed file that its readers may wait for while the source pauses. */
const followedBytesMax = 256 * 1024

interface BlockWriterDeps {
  readonly memory: BodyMemory
  readonly digests: Pick<DigestPool, 'begin'>
}

/** Two walks over the bytes that take about the same time. */
const passesOf = (checksum: ChecksumAlgorithm | undefined): readonly (readonly DigestName[])[] => [
  ['md5'],
  checksum === undefined || checksum === 'sha256' ? ['sha256', 'blocks'] : ['sha256', 'blocks', checksum],
]

/** Copies a body into blocks of body memory, and hashes and writes each block. A body of one block is hashed on this thread, a larger one on others. */
export class BlockWriter implements NewFile {
  readonly #deps: BlockWriterDeps
  readonly #file: BodyFile
  readonly #checksum: ChecksumAlgorithm | undefined
  readonly #follower: BodyOptions['follower']
  readonly #inFlight = new Set<Promise<void>>()
  #filling: { readonly block: Block; readonly untilStuck: Disposable } | undefined
  #filled = 0
  #size = 0
  #digests: RunningDigests | undefined
  /** Followers of the file need its bytes in their order. */
  #writing: Promise<void> = Promise.resolve()
  #fault: unknown

  constructor(deps: BlockWriterDeps, file: BodyFile, { checksum, follower }: BodyOptions) {
    this.#deps = deps
    this.#file = file
    this.#checksum = checksum
    this.#follower = follower
  }

  add(piece: Uint8Array): Promise<void> | undefined {
    const rest = this.#copy(piece)
    return rest && this.#addRest(rest)
  }

  async finish(): Promise<FileDigests> {
    if (this.#digests === undefined) return this.#finishOnly()
    this.#submit()
    await Promise.all(this.#inFlight)
    this.#throwFault()
    const digests = await this.#digests.end()
    this.#dropDigests()
    return namedDigests(this.#size, digests, this.#checksum)
  }

  sync(): Promise<void> {
    return this.#file.sync()
  }

  /** Waits until the file and the blocks are no longer used. */
  async close(): Promise<void> {
    const unused = this.#takeFilling()
    if (unused) this.#deps.memory.give(unused)
    await Promise.all(this.#inFlight)
    this.#dropDigests()
    await this.#file.close()
  }

  #dropDigests(): void {
    this.#digests?.[Symbol.dispose]()
    this.#digests = undefined
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
    const room = this.#follower ? Math.min(block.length, followedBytesMax) : block.length
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
        this.#follower?.grow(this.#file.path, [bytes])
      } catch (error) {
        this.#fault = error
      }
    })
    return this.#writing
  }

  async #finishOnly(): Promise<FileDigests> {
    const block = this.#takeFilling()
    try {
      const bytes = block?.subarray(0, this.#filled)
      const written = bytes && this.#write(bytes)
      const digests = await RunningBodyDigests.start(this.#checksum, 'blocks')
      if (bytes) digests.update(bytes)
      await written
      this.#throwFault()
      return digests.finish()
    } finally {
      await this.#writing
      if (block) this.#deps.memory.give(block)
    }
  }

  #throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault
  }
}
