import type { ExpectedBlob } from '../catalog/cache-entry-store.ts'
import { contentErrors } from '../contract.ts'
import type { DigestThread } from './digest-thread.ts'
import { type Disk, isMissing } from './disk.ts'
import type { HotBytes } from './hot-bytes.ts'
import type { RecentVerifications } from './recent-verifications.ts'
import { DamagedBlob, verifyWhole } from './whole-read.ts'

const smallBlockBytes = 256 * 1024
const largeBlockBytes = 1024 * 1024
/** Reads of at least this many bytes use large blocks: fewer calls for more memory. */
export const largeReadBytes = 8 * 1024 * 1024

/** The bytes of one blob. Call `read` at most once; disposing ends the read. */
export interface ReadableBlob extends AsyncDisposable {
  /** Bytes [start, end] inclusive, the whole blob by default. A whole read of wrong bytes throws DamagedBlob before the last block (I-30). */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
  /** The whole blob, when it is in memory. */
  readonly bytes?: Uint8Array
}

export type OpenBlob =
  /** `isVerified`: the bytes are known to match the content's SHA-256. */
  | { readonly is: 'open'; readonly blob: ReadableBlob; readonly isVerified: boolean }
  | { readonly is: 'missing' }
  /** The file has another length or other bytes than the content. */
  | { readonly is: 'damaged' }

export interface BlobReaderDeps {
  readonly disk: Disk
  /** Hashes large blobs. */
  readonly digests: Pick<DigestThread, 'begin'>
  /** Absent: every whole read is verified. */
  readonly verifications?: RecentVerifications
}

/** Blobs up to this length are read whole and kept in memory. */
const hotBlobBytesMax = 64 * 1024

/** Like openBlob, but serves small blobs from memory after their first read. */
export async function openHotBlob(
  { hot, ...deps }: BlobReaderDeps & { readonly hot: HotBytes },
  path: string,
  blob: ExpectedBlob,
): Promise<OpenBlob> {
  if (blob.length > hotBlobBytesMax) return openBlob(deps, path, blob)
  const kept = hot.get(blob.blobId)
  if (kept) return { is: 'open', blob: new MemoryBlob(kept), isVerified: true }
  const opened = await openBlob(deps, path, blob)
  if (opened.is !== 'open') return opened
  const blocks: Uint8Array[] = []
  try {
    for await (const block of opened.blob.read()) blocks.push(block)
  } catch (error) {
    if (error instanceof DamagedBlob) return { is: 'damaged' }
    throw error
  }
  const bytes = blocks.length === 1 && blocks[0] ? blocks[0] : Buffer.concat(blocks)
  // Verified once: later damage on the disk does not reach the bytes in memory.
  hot.keep(blob.blobId, bytes)
  return { is: 'open', blob: new MemoryBlob(bytes), isVerified: true }
}

export class MemoryBlob implements ReadableBlob {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  async *read(range?: { readonly start: number; readonly end: number }): AsyncGenerator<Uint8Array, void, void> {
    yield range ? this.bytes.subarray(range.start, range.end + 1) : this.bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export async function openBlob(deps: BlobReaderDeps, path: string, expected: ExpectedBlob): Promise<OpenBlob> {
  const { disk } = deps
  let descriptor: number
  try {
    descriptor = await disk.open(path)
  } catch (error) {
    if (isMissing(error)) return { is: 'missing' }
    throw contentErrors.content_unavailable({
      message: `the cached file cannot be opened; check the disk of cache.dir: ${(error as Error).message}`,
      cause: error,
    })
  }
  const { length, stamp } = disk.stat(descriptor)
  if (length === expected.length) return { is: 'open', blob: new BlobReader(deps, { descriptor, stamp }, expected), isVerified: false }
  await disk.close(descriptor)
  return { is: 'damaged' }
}

/** Whether the file exists and its bytes match the content. Always reads the file. @throws SvcError when it cannot be read */
export async function isIntactBlob({ disk, digests }: BlobReaderDeps, path: string, expected: ExpectedBlob): Promise<boolean> {
  const opened = await openBlob({ disk, digests }, path, expected)
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

/** An open cached file. An unlink does not interrupt the read. */
class BlobReader implements ReadableBlob {
  readonly #disk: Disk
  readonly #descriptor: number
  readonly #stamp: string
  readonly #expected: ExpectedBlob
  readonly #digests: BlobReaderDeps['digests']
  readonly #verifications: RecentVerifications | undefined
  #loading: Promise<Loaded> | undefined
  #closing: Promise<void> | undefined

  constructor(
    { disk, digests, verifications }: BlobReaderDeps,
    file: { readonly descriptor: number; readonly stamp: string },
    expected: ExpectedBlob,
  ) {
    this.#disk = disk
    this.#digests = digests
    this.#verifications = verifications
    this.#descriptor = file.descriptor
    this.#stamp = file.stamp
    this.#expected = expected
  }

  /** The file is closed at the end of the read. */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array> {
    const start = range?.start ?? 0
    const { blobId, length, sha256 } = this.#expected
    const end = Math.min(range?.end ?? length - 1, length - 1)
    const isWhole = start === 0 && end === length - 1
    const blocks = this.#blocks(start, end)
    if (!isWhole || sha256 === null || this.#verifications?.has(blobId, this.#stamp)) return blocks
    const whole = { length, sha256, onVerified: () => this.#verifications?.keep(blobId, this.#stamp) }
    return length < largeReadBytes ? verifyWhole(blocks, whole) : verifyWhole(blocks, whole, () => this.#digests.begin())
  }

  async *#blocks(start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    let position = start
    const blockBytes = end - position >= largeReadBytes ? largeBlockBytes : smallBlockBytes
    const loadNext = () => (position <= end ? this.#load(position, Math.min(blockBytes, end - position + 1)) : undefined)
    try {
      this.#loading = loadNext()
      while (this.#loading !== undefined) {
        const block = blockOf(await this.#loading)
        position += block.length
        // Read one block ahead while the consumer sends this one.
        this.#loading = loadNext()
        yield block
      }
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  /** Ends the read and closes the file. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // Closing during a read could give the descriptor number to another file.
    await this.#loading
    await this.#disk.close(this.#descriptor)
  }

  /** Resolves to a fault instead of rejecting: a block read ahead may never be awaited. */
  async #load(position: number, bytes: number): Promise<Loaded> {
    try {
      if (this.#closing) throw new Error('the object was closed during the read')
      const block = Buffer.allocUnsafeSlow(bytes)
      const count = await this.#disk.read(this.#descriptor, block, position)
      if (count === bytes) return { block }
      throw new Error(`the cached file ends at byte ${position + count} of ${this.#expected.length}`)
    } catch (fault) {
      return { fault }
    }
  }
}

type Loaded = { readonly block: Uint8Array } | { readonly fault: unknown }

function blockOf(loaded: Loaded): Uint8Array {
  if ('block' in loaded) return loaded.block
  throw contentErrors.content_unavailable({
    message: `the cached file cannot be read; check the disk of cache.dir: ${(loaded.fault as Error).message}`,
    cause: loaded.fault,
  })
}
