/** Time and memory limits of reads from providers. */

/** Milliseconds unless named otherwise. */
export interface RemoteReadLimits {
  /** Bytes in memory at a time, for all readers together, those on their way included. */
  readonly bytesMax: number
  /** Chunks that a reader has besides the one that it reads; taken only while half of the bytes are free. */
  readonly aheadMax: number
  /** Reads that wait for memory; more are refused. */
  readonly waitersMax: number
  /** A read without memory is refused after this. */
  readonly memoryWait: number
  /** A reader may keep a chunk that its client does not take for this long while other readers wait. */
  readonly hold: number
  /** How often chunks are taken from such readers while others wait. */
  readonly reclaimPoll: number
  /** A copy that has not given a chunk after this competes with the next copy. */
  readonly hedge: number
  /** Until then a copy may have given nothing; from then on it has given `bytesPerSecond` for each second since. */
  readonly grace: number
  readonly bytesPerSecond: number
  /** Pieces without chunk roots that are read as a whole at a time; reads of further ones are refused. */
  readonly rebuildsMax: number
  /** A read that needs chunk roots is refused after this; the next one finds them. */
  readonly rebuildWait: number
}

export const remoteReadLimits: RemoteReadLimits = {
  bytesMax: 64 * 1024 * 1024,
  aheadMax: 3,
  waitersMax: 4096,
  memoryWait: 20_000,
  hold: 1000,
  reclaimPoll: 250,
  hedge: 2000,
  grace: 10_000,
  bytesPerSecond: 128 * 1024,
  rebuildsMax: 2,
  rebuildWait: 20_000,
}

/** Bytes handed to a reader at a time. They are copies, so that a chunk can be taken from a reader at any time. */
export const blockBytes = 64 * 1024
/** What a small object counts at least, so that requests under way are bounded too. */
export const slotBytesMin = 16 * 1024
/** Buffers kept for the next chunk; others are left to the garbage collector. */
export const spareBuffersMax = 8
