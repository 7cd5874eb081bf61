/** Cached bytes and the room they take. */
import { defineService, SvcError, type Tx } from '#kernel'

export interface CacheStats {
  readonly usedBytes: number
  readonly maxBytes: number
  readonly reservedBytes: number
  readonly evictionPolicy: 'lru' | 'after_upload' | 'none'
  /** Only under lru. */
  readonly highWatermarkBytes?: number
  readonly lowWatermarkBytes?: number
  /** True while lru eviction is paused because reads could not be recorded. */
  readonly isEvictionPaused: boolean
}

export interface CacheGauge {
  stats(): CacheStats
}

export const cacheGauge = defineService<CacheGauge>('storage.cache-gauge')

/** Whether bytes could not be cached because the cache has no room for them now. */
export const isNoRoom = (error: unknown): boolean =>
  error instanceof SvcError && (error.code === 'cache_full' || error.code === 'cache_busy')

interface SegmentFacts {
  readonly size: number
  /** Lower-case hex; null when not recorded. */
  readonly sha256: string | null
}

/** Every use of a segment compares its bytes with the SHA-256 (I-30). */
interface FileSegment extends SegmentFacts {
  readonly path: string
  readonly bytes?: undefined
}

/** Bytes that are not in a file. */
interface MemorySegment extends SegmentFacts {
  readonly bytes: Uint8Array
  readonly path?: undefined
}

export type CachedSegment = FileSegment | MemorySegment

/** The cached bytes of a content: usually one file, several after an upload in parts, or the bytes of a small content. */
export interface CachedFile {
  readonly size: number
  /** Segments in the order of the bytes; at least one. */
  readonly segments: readonly CachedSegment[]
  /** Changes when the same bytes are uploaded again. */
  readonly blobId: string
}

/** Cached bytes for plugins that copy them elsewhere. */
export interface CachedContents {
  /**
   * The cached bytes of a content, if they exist with the recorded lengths and none is damaged. Files that were found damaged are looked at
   * again. Throws `cache_unavailable` or
   * `content_unavailable` while the disk of the cache is not mounted.
   */
  locate(contentId: number): Promise<CachedFile | undefined>
  /** Whether bytes are kept although some of them are damaged. */
  isDamaged(contentId: number): Promise<boolean>
  /** Number of cached files that are kept although they are missing or damaged. */
  countDamaged(): Promise<number>
  /**
   * Bytes that were read of the content were not its own. Reads its files again from their disk: damaged ones are removed if a provider has
   * a readable copy, and otherwise kept and marked; then the content is lost until they are intact again (I-37).
   */
  settle(contentId: number): Promise<void>
  /** Enqueues an eviction pass. Call when cached bytes may have become releasable. */
  reconcileCapacity(tx: Tx): Promise<void>
}

export const cachedContents = defineService<CachedContents>('storage.cached-contents')
