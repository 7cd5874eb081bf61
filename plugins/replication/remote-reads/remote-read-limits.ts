/** Time and memory limits of reads from providers. */

import type { ReadAheadLimits } from './read-ahead-policy.ts'

/** Milliseconds unless named otherwise. */
export interface RemoteReadLimits extends ReadAheadLimits {
  /** Bytes in memory for all readers together, including chunks being fetched. */
  readonly bytesMax: number
  /** Chunks that a reader prefetches; only while half of the bytes are free. */
  readonly aheadMax: number
  /** Reads that may wait for memory; more are refused. */
  readonly waitersMax: number
  /** A read without memory is refused after this. */
  readonly memoryWait: number
  /** While others wait, a reader whose client does not read keeps its chunks this long. */
  readonly hold: number
  /** Poll interval for taking chunks from such readers while others wait. */
  readonly reclaimPoll: number
  /** Bytes of chunks that are kept after their last reader, for other members of a pack, with those that were fetched ahead. */
  readonly keptBytesMax: number
  /** Bytes of chunks of all packs that were fetched ahead and that no read asked for yet. At most half of `keptBytesMax`. */
  readonly aheadBytesMax: number
  /** How long they are kept. */
  readonly keep: number
  /** When a copy has not returned a chunk after this, the next copy is tried in parallel. */
  readonly hedge: number
  /** Before this a copy may send nothing; after it, on average `bytesPerSecond`. */
  readonly grace: number
  readonly bytesPerSecond: number
  /** Chunk root rebuilds at a time; reads that need another one are refused. */
  readonly rebuildsMax: number
  /** A read that waits for chunk roots is refused after this; the rebuild continues. */
  readonly rebuildWait: number
}

export const remoteReadLimits: RemoteReadLimits = {
  bytesMax: 64 * 1024 * 1024,
  aheadMax: 3,
  waitersMax: 4096,
  memoryWait: 20_000,
  hold: 1000,
  reclaimPoll: 250,
  keptBytesMax: 16 * 1024 * 1024,
  aheadBytesMax: 8 * 1024 * 1024,
  gapBytes: 128 * 1024,
  runMin: 2,
  packAheadMax: 8,
  keep: 30_000,
  hedge: 2000,
  grace: 10_000,
  bytesPerSecond: 128 * 1024,
  rebuildsMax: 2,
  rebuildWait: 20_000,
}

/** Bytes returned to a client at a time. They are copied, so that a chunk can be taken from its reader at any time. */
export const blockBytes = 64 * 1024
/** Minimum count of a slot: bounds the number of concurrent requests for small objects. */
export const slotBytesMin = 16 * 1024
/** Buffers kept for reuse. */
export const spareBuffersMax = 8
