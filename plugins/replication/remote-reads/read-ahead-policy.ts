/** When the members of a pack are read in order, and how many chunks are then fetched ahead. */

interface PackRead {
  readonly start: number
  /** Inclusive. */
  readonly end: number
  /** Position of the chunk with the last byte. */
  readonly chunk: number
}

export interface ReadAheadLimits {
  /** A read is in order when it begins at most this far from the end of the one before it … */
  readonly gapBytes: number
  /** … and chunks are fetched ahead after so many reads in order. A first read, and reads of random members, fetch nothing more. */
  readonly runMin: number
  /** Chunks that are fetched ahead for one pack: one at first, twice as many with each chunk that the reads enter. */
  readonly packAheadMax: number
}

/** Reads of a pack in order. */
export interface Order {
  /** Last byte that was read. */
  readonly end: number
  /** Position of its chunk. */
  readonly chunk: number
  /** Reads in order so far. */
  readonly run: number
  /** Chunks that are fetched ahead. */
  readonly ahead: number
  /** They are fetched now: at the first read that needs them, and at the first one in each chunk. */
  readonly isDue: boolean
}

/**
 * The order after this read; undefined when it is behind what was read. `known`: the orders that end in the chunk of its last byte, in that
 * of its first one, and in the one before.
 */
export function nextOrder(
  known: readonly (Order | undefined)[],
  { start, end, chunk }: PackRead,
  limits: ReadAheadLimits,
): Order | undefined {
  const [furthest] = known
  // Concurrent readers overtake each other, and one that follows others must not end their order.
  if (furthest && end <= furthest.end) return undefined
  const before = known.find((order) => order !== undefined && Math.abs(start - order.end) <= limits.gapBytes)
  if (!before) return { end, chunk, run: 0, ahead: 0, isDue: false }
  const run = before.run + 1
  if (run < limits.runMin) return { end, chunk, run, ahead: 0, isDue: false }
  if (before.ahead === 0) return { end, chunk, run, ahead: 1, isDue: true }
  const isDue = chunk > before.chunk
  return { end, chunk, run, ahead: isDue ? Math.min(before.ahead * 2, limits.packAheadMax) : before.ahead, isDue }
}
