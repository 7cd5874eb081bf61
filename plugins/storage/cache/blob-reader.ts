import { storageErrors } from '../errors.ts'
import type { BlobRef } from './cache-store.ts'
import type { DigestThread } from './digest-thread.ts'
import { type Disk, isMissing } from './disk.ts'
import type { HotBytes } from './hot-bytes.ts'
import type { RecentProofs } from './recent-proofs.ts'
import { DamagedBlob, proveWhole } from './whole-read.ts'

const smallBlockBytes = 256 * 1024
const largeBlockBytes = 1024 * 1024
/** From here on larger blocks save more calls than they cost memory. */
const largeReadBytes = 8 * 1024 * 1024

/** The bytes of one blob. Read at most once; disposing ends the read. */
export interface ReadableBlob extends AsyncDisposable {
  /** Bytes [start, end] inclusive, the whole blob by default. A whole read ends with DamagedBlob instead of the last block of wrong bytes (I-30). */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
}

export type OpenBlob =
  /** `isProven`: every read gives the bytes of the content. */
  | { readonly is: 'open'; readonly blob: ReadableBlob; readonly isProven: boolean }
  | { readonly is: 'missing' }
  /** There is a file with another length, or other bytes. */
  | { readonly is: 'damaged' }

/** A blob, and the SHA-256 of its content where that was recorded. */
export interface WantedBlob extends BlobRef {
  readonly sha256: string | null
}

/** What blobs are read with. */
export interface BlobDoors {
  readonly disk: Disk
  /** Hashes large blobs. */
  readonly digests: Pick<DigestThread, 'begin'>
  /** Absent: every whole read is compared. */
  readonly proofs?: RecentProofs
}

/** Blobs up to this length are read whole, so that the next reader finds them in memory. */
const hotBlobBytesMax = 64 * 1024

/** Like openBlob, with small blobs from memory where they were read before. */
export async function openHotBlob(
  { hot, ...doors }: BlobDoors & { readonly hot: HotBytes },
  path: string,
  blob: WantedBlob,
): Promise<OpenBlob> {
  if (blob.length > hotBlobBytesMax) return openBlob(doors, path, blob)
  const kept = hot.get(blob.blobId)
  if (kept) return { is: 'open', blob: new MemoryBlob(kept), isProven: true }
  const opened = await openBlob(doors, path, blob)
  if (opened.is !== 'open') return opened
  const blocks: Uint8Array[] = []
  try {
    for await (const block of opened.blob.read()) blocks.push(block)
  } catch (error) {
    if (error instanceof DamagedBlob) return { is: 'damaged' }
    throw error
  }
  const bytes = blocks.length === 1 && blocks[0] ? blocks[0] : Buffer.concat(blocks)
  // Proved once: the bytes in memory do not change with those on the disk.
  hot.keep(blob.blobId, bytes)
  return { is: 'open', blob: new MemoryBlob(bytes), isProven: true }
}

class MemoryBlob implements ReadableBlob {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  async *read(range?: { readonly start: number; readonly end: number }): AsyncGenerator<Uint8Array, void, void> {
    yield range ? this.#bytes.subarray(range.start, range.end + 1) : this.#bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export async function openBlob(doors: BlobDoors, path: string, wanted: WantedBlob): Promise<OpenBlob> {
  const { disk } = doors
  let descriptor: number
  try {
    descriptor = await disk.open(path)
  } catch (error) {
    if (isMissing(error)) return { is: 'missing' }
    throw storageErrors.content_unavailable({ message: `the cached file cannot be opened: ${(error as Error).message}`, cause: error })
  }
  const { length, stamp } = disk.stat(descriptor)
  if (length === wanted.length) return { is: 'open', blob: new BlobReader(doors, { descriptor, stamp }, wanted), isProven: false }
  await disk.close(descriptor)
  return { is: 'damaged' }
}

/** Is the file there, with the bytes of its content? Always compared. @throws SvcError when it cannot be read */
export async function isIntactBlob({ disk, digests }: BlobDoors, path: string, wanted: WantedBlob): Promise<boolean> {
  const opened = await openBlob({ disk, digests }, path, wanted)
  if (opened.is !== 'open') return false
  await using blob = opened.blob
  try {
    for await (const _ of blob.read());
    return true
  } catch (error) {
    if (error instanceof DamagedBlob) return false
    throw error
  }
}

/** An open cached file. It can be read to its end even after it was unlinked. */
class BlobReader implements ReadableBlob {
  readonly #disk: Disk
  readonly #descriptor: number
  readonly #stamp: string
  readonly #wanted: WantedBlob
  readonly #digests: BlobDoors['digests']
  readonly #proofs: RecentProofs | undefined
  #loading: Promise<Loaded> | undefined
  #closing: Promise<void> | undefined

  constructor({ disk, digests, proofs }: BlobDoors, file: { readonly descriptor: number; readonly stamp: string }, wanted: WantedBlob) {
    this.#disk = disk
    this.#digests = digests
    this.#proofs = proofs
    this.#descriptor = file.descriptor
    this.#stamp = file.stamp
    this.#wanted = wanted
  }

  /** Bytes [start, end] inclusive, the whole file by default. Call at most once; the file is closed at the end of the read. */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array> {
    const start = range?.start ?? 0
    const { blobId, length, sha256 } = this.#wanted
    const end = Math.min(range?.end ?? length - 1, length - 1)
    const isWhole = start === 0 && end === length - 1
    const blocks = this.#blocks(start, end)
    if (!isWhole || sha256 === null || this.#proofs?.has(blobId, this.#stamp)) return blocks
    const whole = { length, sha256, onProven: () => this.#proofs?.keep(blobId, this.#stamp) }
    return length < largeReadBytes ? proveWhole(blocks, whole) : proveWhole(blocks, whole, () => this.#digests.begin())
  }

  async *#blocks(start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    let position = start
    const blockBytes = end - position >= largeReadBytes ? largeBlockBytes : smallBlockBytes
    const loadNext = () => (position <= end ? this.#load(position, Math.min(blockBytes, end - position + 1)) : undefined)
    try {
      this.#loading = loadNext()
      while (this.#loading !== undefined) {
        const block = taken(await this.#loading)
        position += block.length
        // One block is read ahead while the consumer sends this one.
        this.#loading = loadNext()
        yield block
      }
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  /** Ends a read under way and frees the file. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // The descriptor must not be closed, and its number given to another file, under a running read.
    await this.#loading
    await this.#disk.close(this.#descriptor)
  }

  /** Resolves to a fault instead of rejecting: a block read ahead may never be asked for. */
  async #load(position: number, bytes: number): Promise<Loaded> {
    try {
      if (this.#closing) throw new Error('the object was closed while it was read')
      const block = Buffer.allocUnsafeSlow(bytes)
      const count = await this.#disk.read(this.#descriptor, block, position)
      if (count === bytes) return { block }
      throw new Error(`the cached file ends at byte ${position + count} of ${this.#wanted.length}`)
    } catch (fault) {
      return { fault }
    }
  }
}

type Loaded = { readonly block: Uint8Array } | { readonly fault: unknown }

function taken(loaded: Loaded): Uint8Array {
  if ('block' in loaded) return loaded.block
  throw storageErrors.content_unavailable({
    message: `the cached file cannot be read: ${(loaded.fault as Error).message}`,
    cause: loaded.fault,
  })
}
