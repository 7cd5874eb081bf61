import { storageErrors } from '../errors.ts'
import type { BlobRef } from './cache-store.ts'
import { type Disk, isMissing } from './disk.ts'
import type { HotBytes } from './hot-bytes.ts'

const smallBlockBytes = 256 * 1024
const largeBlockBytes = 1024 * 1024
/** From here on larger blocks save more calls than they cost memory. */
const largeReadBytes = 8 * 1024 * 1024

/** The bytes of one blob. Read at most once; disposing ends the read. */
export interface ReadableBlob extends AsyncDisposable {
  /** Bytes [start, end] inclusive, the whole blob by default. */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
}

export type OpenBlob =
  | { readonly is: 'open'; readonly blob: ReadableBlob }
  | { readonly is: 'missing' }
  /** There is a file, but its length is not the recorded one. */
  | { readonly is: 'damaged'; readonly length: number }

/** Blobs up to this length are read whole, so that the next reader finds them in memory. */
const hotBlobBytesMax = 64 * 1024

/** Like openBlob, with small blobs from memory where they were read before. */
export async function openHotBlob(
  disk: Disk,
  path: string,
  { blob, hot }: { readonly blob: BlobRef; readonly hot: HotBytes },
): Promise<OpenBlob> {
  if (blob.length > hotBlobBytesMax) return openBlob(disk, path, blob)
  const kept = hot.get(blob.blobId)
  if (kept) return { is: 'open', blob: new MemoryBlob(kept) }
  const opened = await openBlob(disk, path, blob)
  if (opened.is !== 'open') return opened
  const blocks: Uint8Array[] = []
  for await (const block of opened.blob.read()) blocks.push(block)
  const bytes = blocks.length === 1 && blocks[0] ? blocks[0] : Buffer.concat(blocks)
  hot.keep(blob.blobId, bytes)
  return { is: 'open', blob: new MemoryBlob(bytes) }
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

export async function openBlob(disk: Disk, path: string, { length }: BlobRef): Promise<OpenBlob> {
  let descriptor: number
  try {
    descriptor = await disk.open(path)
  } catch (error) {
    if (isMissing(error)) return { is: 'missing' }
    throw storageErrors.content_unavailable({ message: `the cached file cannot be opened: ${(error as Error).message}`, cause: error })
  }
  const found = disk.length(descriptor)
  if (found === length) return { is: 'open', blob: new BlobReader(disk, descriptor, length) }
  await disk.close(descriptor)
  return { is: 'damaged', length: found }
}

/** An open cached file. It can be read to its end even after it was unlinked. */
class BlobReader implements ReadableBlob {
  readonly #disk: Disk
  readonly #descriptor: number
  readonly #length: number
  #loading: Promise<Loaded> | undefined
  #closing: Promise<void> | undefined

  constructor(disk: Disk, descriptor: number, length: number) {
    this.#disk = disk
    this.#descriptor = descriptor
    this.#length = length
  }

  /** Bytes [start, end] inclusive, the whole file by default. Call at most once; the file is closed at the end of the read. */
  async *read(range?: { readonly start: number; readonly end: number }): AsyncGenerator<Uint8Array, void, void> {
    const end = Math.min(range?.end ?? this.#length - 1, this.#length - 1)
    let position = range?.start ?? 0
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
      throw new Error(`the cached file ends at byte ${position + count} of ${this.#length}`)
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
