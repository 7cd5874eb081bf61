import type { ReadableBlob } from '../cache/blob-reader.ts'
import type { Cache } from '../cache/cache.ts'
import { DamagedBlob, UnreadableBlob, unreadableContent } from '../cache/whole-read.ts'
import { type ExpectedBlob, expectedBlobs } from '../catalog/cache-entry-store.ts'
import { type ByteRange, contentErrors, type ObjectVersion, type OpenedObject, type ReadOptions } from '../contract.ts'
import type { ObjectDeps } from './objects.ts'

const retryAfterSeconds = 10
/** Completions of the same parts replace the files. After this many replacements during one read, read from a provider. */
const lookupsMax = 8

type SegmentDeps = Pick<ObjectDeps, 'database' | 'openUncached' | 'log'> & { readonly cache: Pick<Cache, 'open' | 'forget'> }

interface SegmentedContent {
  readonly version: ObjectVersion & { readonly contentId: number }
  /** In the order of the bytes. */
  readonly blobs: readonly ExpectedBlob[]
}

/**
 * Opens a content of several files, one file at a time. What is read of each file is compared before its last block is sent (I-30). When a
 * file was removed meanwhile, the rest comes from the files that replaced it, else, or when it cannot be read, from a provider.
 */
export function openSegments(deps: SegmentDeps, content: SegmentedContent): OpenedObject {
  const reader = new SegmentReader(deps, content)
  return {
    version: content.version,
    source: 'cache',
    read: ({ start, end } = { start: 0, end: content.version.size - 1 }, options) =>
      reader.read({ start, end: Math.min(end, content.version.size - 1) }, options),
    [Symbol.asyncDispose]: () => reader.close(),
  }
}

class SegmentReader {
  readonly #deps: SegmentDeps
  readonly #version: SegmentedContent['version']
  #blobs: readonly ExpectedBlob[]
  #open: AsyncDisposable | undefined
  #options: ReadOptions | undefined
  #isClosed = false

  constructor(deps: SegmentDeps, { version, blobs }: SegmentedContent) {
    this.#deps = deps
    this.#version = version
    this.#blobs = blobs
  }

  async *read({ start, end }: ByteRange, options?: ReadOptions): AsyncGenerator<Uint8Array, void, void> {
    this.#options = options
    let position = start
    let lookups = 0
    try {
      while (position <= end) {
        const segment = segmentAt(this.#blobs, position)
        if (!segment) return yield* this.#readRemote({ start: position, end })
        const from = position
        for await (const block of this.#readSegment(segment, { start: position, end })) {
          position += block.length
          yield block
        }
        if (position === from && this.#blobs.length > 0) await this.#lookUp(segment.blob, lookups++ < lookupsMax)
      }
    } finally {
      await this.close()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#open?.[Symbol.asyncDispose]()
  }

  /** Yields nothing when the file is missing, or damaged or unreadable in its first block. */
  async *#readSegment(segment: Segment, range: ByteRange): AsyncGenerator<Uint8Array, void, void> {
    let hasSent = false
    try {
      for await (const block of this.#readFile(segment, range)) {
        hasSent = true
        yield block
      }
    } catch (error) {
      if (error instanceof UnreadableBlob && !hasSent) return this.#leaveCache(error)
      if (error instanceof UnreadableBlob) throw unreadableContent(error)
      if (!(error instanceof DamagedBlob)) throw error
      await this.#deps.cache.forget(this.#version.contentId, segment.blob)
      if (hasSent) throw this.#unavailable(error)
    }
  }

  /** @throws DamagedBlob, UnreadableBlob */
  async *#readFile({ blob, offset }: Segment, { start, end }: ByteRange): AsyncGenerator<Uint8Array, void, void> {
    const opened = await this.#deps.cache.open(blob)
    if (opened.is === 'damaged') throw new DamagedBlob(String(blob.sha256))
    if (opened.is === 'unreadable') throw opened.error
    if (opened.is === 'missing') return
    const file = await this.#use(opened.blob)
    yield* file.read({ start: start - offset, end: Math.min(end - offset, blob.length - 1) }, this.#options)
  }

  /** The rest comes from a provider. The entry stays: the bytes of the file may be intact. */
  #leaveCache(error: UnreadableBlob): void {
    this.#deps.log.warn('a cached file cannot be read; its bytes come from a provider; check the disk of cache.dir', { error })
    this.#blobs = []
  }

  async *#readRemote(range: ByteRange): AsyncGenerator<Uint8Array, void, void> {
    const opened = await this.#deps.openUncached(this.#version, this.#version.contentId)
    yield* (await this.#use(opened)).read(range, this.#options)
  }

  async #use(opened: ReadableBlob): Promise<ReadableBlob> {
    this.#open = opened
    // The reader was closed during the wait for the file: reading it throws.
    if (this.#isClosed) await opened[Symbol.asyncDispose]()
    return opened
  }

  /** The file is missing: looks up the files of the content again. */
  async #lookUp({ blobId }: ExpectedBlob, isAllowed: boolean): Promise<void> {
    const { contentId } = this.#version
    const blobs = isAllowed ? await expectedBlobs(this.#deps.database.read, contentId) : []
    const same = blobs.find((blob) => blob.blobId === blobId)
    if (same) await this.#deps.cache.forget(contentId, same)
    this.#blobs = same ? [] : blobs
  }

  #unavailable(cause: unknown): Error {
    const message = `the cached bytes of '${this.#version.key}' are damaged; retry the read`
    return contentErrors.content_unavailable({ message, retryAfterSeconds, cause })
  }
}

interface Segment {
  readonly blob: ExpectedBlob
  /** Position of its first byte in the content. */
  readonly offset: number
}

function segmentAt(blobs: readonly ExpectedBlob[], position: number): Segment | undefined {
  let offset = 0
  for (const blob of blobs) {
    if (position < offset + blob.length) return { blob, offset }
    offset += blob.length
  }
  return undefined
}
