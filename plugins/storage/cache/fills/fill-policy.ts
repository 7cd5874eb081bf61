/** When a read of a content that is not cached fills the cache, and when its fill is given up. */

interface Range {
  readonly start: number
  /** Inclusive. */
  readonly end: number
}

/** Milliseconds unless named otherwise. */
export interface FillLimits {
  /** A read fills the cache when it covers at least this share of the content … */
  readonly coveredShare: number
  /** … and begins at most this far after the bytes that the file has: further behind, it would wait for bytes that it does not need. */
  readonly leadBytes: number
  /** A fill without readers continues when it has half of the content, or when at most this is missing. */
  readonly restBytes: number
  /** Fills at a time, each with an open file; further reads are streamed without a fill. */
  readonly fillsMax: number
  /** All fills together reserve at most this share of the capacity. */
  readonly capacityShare: number
  /** A fill must receive `bytesPerSecond` on average in each window. The rate is also its deadline. */
  readonly window: number
  readonly bytesPerSecond: number
  /** Reads without room whose times are remembered. */
  readonly rememberedMax: number
}

export const fillLimits: FillLimits = {
  coveredShare: 0.5,
  leadBytes: 1024 * 1024,
  restBytes: 8 * 1024 * 1024,
  fillsMax: 32,
  capacityShare: 0.25,
  window: 30_000,
  bytesPerSecond: 128 * 1024,
  rememberedMax: 10_000,
}

export const beginsFill = (range: Range, size: number, limits: FillLimits): boolean =>
  range.end + 1 - range.start >= size * limits.coveredShare && followsFill(range, 0, limits)

/** Whether a reader takes its bytes from a file that has `writtenBytes` and grows. */
export const followsFill = ({ start }: Range, writtenBytes: number, { leadBytes }: FillLimits): boolean => start <= writtenBytes + leadBytes

/** Whether a fill without readers continues. */
export const isWorthFinishing = (receivedBytes: number, size: number, { restBytes }: FillLimits): boolean =>
  size - receivedBytes <= Math.max(receivedBytes, restBytes)
