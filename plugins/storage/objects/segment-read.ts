/** @walk parts 6: reads a content of several files and compares each with its SHA-256 */
import type { Database, Log } from '#kernel'
import type { ReadableBlob } from '../cache/blobs/file-read.ts'
import type { Cache } from '../cache/cache.ts'
import { DamagedBlob, UnreadableBlob, unreadableContent } from '../cache/verification/whole-read.ts'
import type { ExpectedBlob } from '../catalog/cached/cache-entry-store.ts'
import { type KeptBlob, keptBlobsOf } from '../catalog/cached/damage-store.ts'
import type { OpenUncached } from '../contents/byte-sources.ts'
import { type ByteRange, contentErrors, type ObjectVersion, type OpenedObject, type ReadOptions } from '../contract.ts'

const retryAfterSeconds = 10
/** Completions of the same parts replace the files. After this many replacements during one read, read from a provider. */
const lookupsMax = 8

export interface SegmentDeps {
  readonly database: Database
  readonly log: Log
  readonly cache: Pick<Cache, 'open' | 'settle'>
  /** Opens bytes that are not in the cache. */
  readonly openUncached: OpenUncached
}

interface SegmentedContent {
  readonly version: ObjectVersion & { readonly contentId: number }
  /** Files in the order of the bytes. */
  readonly blobs: readonly Segmented[]
}

/** A marked file is looked at again before the first byte is sent. */
type Segmented = ExpectedBlob & Partial<Pick<KeptBlob, 'damagedAtMs'>>

/** For cached bytes that are missing or damaged, and kept. */
export async function openElsewhere(
  { openUncached }: Pick<SegmentDeps, 'openUncached'>,
  version: SegmentedContent['version'],
): Promise<OpenedObject> {
  try {
    return await openUncached(version, version.contentId)
  } catch (cause) {
    const why = cause instanceof Error ? ` (${cause.message})` : ''
    const message = `cached bytes of '${version.key}' are missing or damaged, and no provider serves them now${why}; what is left is kept: restore its file from a backup, or upload the object again`
    throw contentErrors.content_unavailable({ message, retryAfterSeconds, cause })
  }
}

/**
 * Opens a content of several files, or one whose entry is damaged, one file at a time. What is read of each file is compared before its last
 * block is sent (I-30). The bytes of a damaged file come from a provider, and the others from the cache (I-37). When a file was removed
 * during the read, the rest comes from the files that replaced it, or from a provider.
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
  #blobs: readonly Segmented[]
  /** Ids of the files whose bytes come from a provider. */
  readonly #damaged = new Set<string>()
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
      await this.#lookAtMarked({ start, end })
      while (position <= end) {
        const segment = segmentAt(this.#blobs, position)
        if (!segment) return yield* this.#readRemote({ start: position, end })
        const from = position
        for await (const block of this.#readAt(segment, { start: position, end })) {
          position += block.length
          yield block
        }
        if (position === from && this.#blobs.length > 0) await this.#lookAgain(segment.blob, lookups++ < lookupsMax)
      }
    } finally {
      await this.close()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#open?.[Symbol.asyncDispose]()
  }

  /** Looks at the marked files of the range again, and refuses the read before its first byte when their bytes are nowhere else. */
  async #lookAtMarked(range: ByteRange): Promise<void> {
    // Each look finds a file damaged or intact, unless the files were replaced.
    for (let looks = this.#blobs.length + lookupsMax; looks > 0; looks--) {
      const marked = this.#blobs.find((blob, at) => blob.damagedAtMs != null && !this.#damaged.has(blob.blobId) && this.#isIn(range, at))
      if (!marked) break
      await this.#lookAgain(marked, true)
    }
    if (this.#damaged.size > 0) await (await openElsewhere(this.#deps, this.#version))[Symbol.asyncDispose]()
  }

  #isIn({ start, end }: ByteRange, at: number): boolean {
    const offset = offsetOf(this.#blobs, at)
    return offset <= end && offset + (this.#blobs[at]?.length ?? 0) > start
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
      if (!hasSent) return
      await this.#deps.cache.settle(this.#version.contentId, segment.blob)
      throw this.#unavailable(error)
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

  /** Reads its file, or, when that is damaged, from a provider. */
  #readAt(segment: Segment, range: ByteRange): AsyncGenerator<Uint8Array, void, void> {
    return this.#damaged.has(segment.blob.blobId) ? this.#readElsewhere(segment, range) : this.#readSegment(segment, range)
  }

  async *#readElsewhere({ blob, offset }: Segment, { start, end }: ByteRange): AsyncGenerator<Uint8Array, void, void> {
    const opened = await this.#use(await openElsewhere(this.#deps, this.#version))
    let received = 0
    for await (const block of opened.read({ start, end: Math.min(end, offset + blob.length - 1) }, this.#options)) {
      received += block.length
      yield block
    }
    if (received === 0) throw this.#unavailable(undefined)
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

  /** Nothing could be read of the file: it was replaced, is missing, or its first block is damaged. */
  async #lookAgain({ blobId }: ExpectedBlob, isAllowed: boolean): Promise<void> {
    const { cache, database } = this.#deps
    const { contentId, size } = this.#version
    const verdict = isAllowed ? await cache.settle(contentId, { blobId }) : 'unknown'
    if (verdict === 'damaged' || verdict === 'unknown') {
      this.#damaged.add(blobId)
      return
    }
    const blobs = await keptBlobsOf(database.read, contentId)
    this.#blobs = offsetOf(blobs, blobs.length) === size ? blobs : []
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

const offsetOf = (blobs: readonly ExpectedBlob[], at: number): number => blobs.slice(0, at).reduce((sum, { length }) => sum + length, 0)

function segmentAt(blobs: readonly ExpectedBlob[], position: number): Segment | undefined {
  let offset = 0
  for (const blob of blobs) {
    if (position < offset + blob.length) return { blob, offset }
    offset += blob.length
  }
  return undefined
}
