import { SvcError } from '#kernel'
import type { ExpectedBlob } from '../catalog/cache-entry-store.ts'
import { contentErrors, type ReadOptions } from '../contract.ts'
import { BlockRead, type BlockReadDeps } from './block-read.ts'
import { isMissing } from './disk.ts'
import type { HotBytes } from './hot-bytes.ts'
import type { RecentVerifications } from './recent-verifications.ts'
import { DamagedBlob, verifyWhole } from './whole-read.ts'

/** Reads up to this length get memory of their own, and are verified before the first byte. */
const ownBytesMax = 256 * 1024
/** Reads of at least this many bytes from other sources are hashed on a thread. */
export const largeReadBytes = 8 * 1024 * 1024

/** The bytes of one blob. Call `read` at most once; disposing ends the read. */
export interface ReadableBlob extends AsyncDisposable {
  /** Bytes [start, end] inclusive, the whole blob by default. A whole read of wrong bytes throws DamagedBlob before the last block (I-30). */
  read(range?: { readonly start: number; readonly end: number }, options?: ReadOptions): AsyncIterable<Uint8Array>
  /** The whole blob, when it is in memory. */
  readonly bytes?: Uint8Array
}

export type OpenBlob =
  /** `isVerified`: the bytes are known to match the content's SHA-256. */
  | { readonly is: 'open'; readonly blob: ReadableBlob; readonly isVerified: boolean }
  | { readonly is: 'missing' }
  /** The file has another length or other bytes than the content. */
  | { readonly is: 'damaged' }

export interface BlobReaderDeps extends BlockReadDeps {
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
export async function isIntactBlob({ verifications: _, ...deps }: BlobReaderDeps, path: string, expected: ExpectedBlob): Promise<boolean> {
  const opened = await openBlob(deps, path, expected)
  if (opened.is !== 'open') return false
  await using blob = opened.blob
  try {
    for await (const _ of blob.read(undefined, { lends: true }));
    return true
  } catch (error) {
    if (error instanceof DamagedBlob) return false
    throw error
  }
}

/** An open cached file. An unlink does not interrupt the read. */
class BlobReader implements ReadableBlob {
  readonly #deps: BlobReaderDeps
  readonly #descriptor: number
  readonly #stamp: string
  readonly #expected: ExpectedBlob
  /** Of the read: must end before the file is closed, because another file could get the descriptor number. */
  #reading: Promise<unknown> | undefined
  #blocks: BlockRead | undefined
  #closing: Promise<void> | undefined

  constructor(deps: BlobReaderDeps, file: { readonly descriptor: number; readonly stamp: string }, expected: ExpectedBlob) {
    this.#deps = deps
    this.#descriptor = file.descriptor
    this.#stamp = file.stamp
    this.#expected = expected
  }

  /** The file is closed at the end of the read. */
  read(range?: { readonly start: number; readonly end: number }, { lends = false }: ReadOptions = {}): AsyncIterable<Uint8Array> {
    const start = range?.start ?? 0
    const { blobId, length, sha256 } = this.#expected
    const end = Math.min(range?.end ?? length - 1, length - 1)
    const isWhole = start === 0 && end === length - 1
    const onVerified = () => this.#deps.verifications?.keep(blobId, this.#stamp)
    const isVerified = !isWhole || sha256 === null || this.#deps.verifications?.has(blobId, this.#stamp)
    const wanted = { start, end, ...(!isVerified && { sha256, onVerified }), lends }
    if (end - start >= ownBytesMax) return this.#readBlocks(wanted)
    const own = this.#readOwn(start, end)
    return isVerified ? own : verifyWhole(own, { length, sha256, onVerified })
  }

  async *#readOwn(start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    try {
      if (this.#closing) throw unreadable(new Error('the object was closed during the read'))
      if (start > end) return
      const bytes = Buffer.allocUnsafeSlow(end - start + 1)
      const reading = this.#deps.disk.read(this.#descriptor, bytes, start)
      this.#reading = reading.catch(() => {})
      const count = await reading.catch((fault) => {
        throw unreadable(fault)
      })
      if (count < bytes.length) throw unreadable(new Error(`the cached file ends at byte ${start + count} of ${this.#expected.length}`))
      yield bytes
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  async *#readBlocks(wanted: ConstructorParameters<typeof BlockRead>[2]): AsyncGenerator<Uint8Array, void, void> {
    try {
      if (this.#closing) throw new Error('the object was closed during the read')
      this.#blocks = new BlockRead(this.#deps, this.#descriptor, wanted)
      yield* this.#blocks.blocks()
    } catch (error) {
      throw error instanceof DamagedBlob || error instanceof SvcError ? error : unreadable(error)
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
    await this.#reading
    await this.#blocks?.[Symbol.asyncDispose]()
    await this.#deps.disk.close(this.#descriptor)
  }
}

function unreadable(cause: unknown): Error {
  const message = `the cached file cannot be read; check the disk of cache.dir: ${(cause as Error).message}`
  return contentErrors.content_unavailable({ message, cause })
}
