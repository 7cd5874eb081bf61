import { type FileDigests, RunningBodyDigests, startDigest } from '../verification/digests.ts'
import { beginSha256, DamagedBlob } from '../verification/whole-read.ts'
import { BodyFile } from './body-file.ts'
import type { BodyOptions, FileBlocks, NewFile, OpenFile, Transfers, Wanted } from './transfers.ts'

/** Bytes of one read of the disk, as in shared memory. */
const blockBytes = 512 * 1024
/** Smaller pieces of a body are collected before they are hashed and written. */
const pieceBytesMin = 64 * 1024
const noMemory = { budgetBytes: 0, usedBytes: 0 }

/** Ordinary reads and writes, hashed on this thread. Each transfer has memory of its own: a piece of a body, or one or two blocks of a read. */
export const plainTransfers: Transfers = {
  async create(disk, path, { size = pieceBytesMin, checksum, follower }) {
    const digests = await RunningBodyDigests.start(checksum, ...(size < pieceBytesMin ? [] : (['blocks'] as const)))
    const pieces = Buffer.allocUnsafeSlow(Math.min(size, pieceBytesMin))
    return new PlainFile(await BodyFile.create(disk, path, {}), { digests, pieces, follower })
  },
  read: (file, wanted) => new PlainRead(file, wanted),
  hash: beginSha256,
  memory: async () => ({ transfers: { ...noMemory, waiting: 0 }, hashing_threads: noMemory }),
  [Symbol.asyncDispose]: async () => {},
}

interface PlainFileParts extends Pick<BodyOptions, 'follower'> {
  readonly digests: RunningBodyDigests
  /** Memory for small pieces. */
  readonly pieces: Uint8Array
}

class PlainFile implements NewFile {
  readonly #file: BodyFile
  readonly #parts: PlainFileParts
  /** Bytes of small pieces that are not written yet. */
  #collected = 0
  #writing: Promise<void> | undefined

  constructor(file: BodyFile, parts: PlainFileParts) {
    this.#file = file
    this.#parts = parts
  }

  add(piece: Uint8Array): Promise<void> | undefined {
    const { pieces } = this.#parts
    if (this.#collected + piece.length > pieces.length) return this.#addRest(piece)
    pieces.set(piece, this.#collected)
    this.#collected += piece.length
    return undefined
  }

  async finish(): Promise<FileDigests> {
    await this.#writeCollected()
    return this.#parts.digests.finish()
  }

  sync(): Promise<void> {
    return this.#file.sync()
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#file.close()
  }

  async #addRest(piece: Uint8Array): Promise<void> {
    await this.#writeCollected()
    if (piece.length > this.#parts.pieces.length) await this.#write(piece)
    else await this.add(piece)
  }

  async #writeCollected(): Promise<void> {
    const bytes = this.#parts.pieces.subarray(0, this.#collected)
    this.#collected = 0
    if (bytes.length > 0) await this.#write(bytes)
  }

  #write(bytes: Uint8Array): Promise<void> {
    const { digests, follower } = this.#parts
    const position = digests.size
    digests.update(bytes)
    const writing = this.#file.write(bytes, position)
    this.#writing = writing.catch(() => {})
    return follower ? writing.then(() => follower.grow(this.#file.path, [bytes])) : writing
  }
}

class PlainRead implements FileBlocks {
  readonly #file: OpenFile
  readonly #wanted: Wanted
  /** Must end before the file is closed, because another file could get the descriptor number. */
  #reading: Promise<unknown> | undefined
  #isClosed = false

  constructor(file: OpenFile, wanted: Wanted) {
    this.#file = file
    this.#wanted = wanted
  }

  async *blocks(): AsyncGenerator<Uint8Array, void, void> {
    const { start, end, only = { start, end }, expected, onVerified } = this.#wanted
    const digest = expected && (await startDigest(expected.name))
    /** The last bytes for the consumer wait for the comparison. */
    let kept: Uint8Array | undefined
    for (let at = start; at <= end; at += blockBytes) {
      const bytes = await this.#load(at)
      const wanted = bytes.subarray(Math.max(0, only.start - at), Math.max(0, only.end + 1 - at))
      digest?.update(bytes)
      if (wanted.length === 0) continue
      if (kept) yield kept
      kept = wanted
    }
    if (digest?.hex() !== expected?.hex) throw new DamagedBlob(expected?.name === 'sha256' ? expected.hex : undefined)
    onVerified?.()
    if (kept) yield kept
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#reading
  }

  async #load(position: number): Promise<Uint8Array> {
    this.#requireOpen()
    const { disk, descriptor } = this.#file
    const bytes = Buffer.allocUnsafeSlow(Math.min(blockBytes, this.#wanted.end - position + 1))
    const reading = disk.read(descriptor, bytes, position)
    this.#reading = reading.catch(() => {})
    const count = await reading
    this.#requireOpen()
    if (count < bytes.length) throw new Error(`it ends at byte ${position + count}`)
    return bytes
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error('the object was closed during the read')
  }
}
