import type { Log } from '#kernel'
import { lentBytesMin } from '../../contract.ts'
import type { Disk } from '../files/disk.ts'
import { beginSha256, type RunningDigest } from '../verification/whole-read.ts'
import { BlockRead } from './block-read.ts'
import { BlockWriter } from './block-writer.ts'
import { BodyFile } from './body-file.ts'
import { BodyMemory } from './body-memory.ts'
import { DigestPool } from './digest-pool.ts'
import { plainTransfers } from './plain-transfers.ts'
import type { BodyOptions, FileBlocks, NewFile, OpenFile, TransferMemory, Transfers, Wanted } from './transfers.ts'

/** Bytes of at least this length from other sources are hashed on a thread. */
const threadBytesMin = 8 * 1024 * 1024
/** Reads up to this length get memory of their own, and are verified before the first byte. */
const ownBytesMax = 256 * 1024

export interface SharedTransferDeps {
  readonly log: Log
  /** Default: a new one. */
  readonly memory?: BodyMemory
  /** Uses the same memory. */
  readonly digests?: DigestPool
}

/** Moves large bodies and reads through one memory that hashing threads share, and past the page cache of the system. Small ones are plain. */
export class SharedTransfers implements Transfers {
  readonly #memory: BodyMemory
  readonly #digests: DigestPool

  constructor({ log, memory = new BodyMemory(), digests = new DigestPool({ log, memory }) }: SharedTransferDeps) {
    this.#memory = memory
    this.#digests = digests
  }

  async create(disk: Disk, path: string, body: BodyOptions): Promise<NewFile> {
    const { size, follower } = body
    if (size !== undefined && size < lentBytesMin) return plainTransfers.create(disk, path, body)
    const file = await BodyFile.create(disk, path, { size, isFollowed: follower !== undefined })
    return new BlockWriter({ memory: this.#memory, digests: this.#digests }, file, body)
  }

  read(file: OpenFile, wanted: Wanted): FileBlocks {
    if (wanted.end - wanted.start < ownBytesMax) return plainTransfers.read(file, wanted)
    return new BlockRead({ disk: file.disk, memory: this.#memory, digests: this.#digests }, file.descriptor, wanted)
  }

  hash(bytes: number): RunningDigest {
    return bytes < threadBytesMin ? beginSha256() : this.#digests.beginOne('sha256')
  }

  async memory(): Promise<TransferMemory> {
    return { transfers: this.#memory.stats(), hashing_threads: await this.#digests.memory() }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#digests[Symbol.asyncDispose]()
  }
}
