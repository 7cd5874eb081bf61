import type { Clock } from '#kernel'
import type { ReadableCopy } from '../copies/records/placement-store.ts'
import type { FailedResult } from '../standing/doubt-store.ts'

/** How long a copy that failed a read is tried after the others. */
const suspectMs = 10 * 60_000
/** When exceeded, the oldest suspect is dropped. */
const suspectsMax = 10_000

/**
 * Copies that recently gave no or wrong bytes; in memory, because they only change the order of tries. `onDenied`: the provider answered
 * that it does not have the piece, or sent other bytes, which begins a check of the whole piece.
 */
export function createSuspectCopies(clock: Clock, onDenied: (copy: ReadableCopy, result: FailedResult) => void = () => {}) {
  const untilMs = new Map<string, number>()
  const nameOf = ({ serviceUrl, pieceCid }: ReadableCopy) => `${serviceUrl} ${pieceCid}`
  /** 0 for a trusted copy. */
  const suspectUntil = (copy: ReadableCopy) => {
    const until = untilMs.get(nameOf(copy)) ?? 0
    return until > clock.now() ? until : 0
  }
  return {
    add(copy: ReadableCopy, result?: FailedResult): void {
      const name = nameOf(copy)
      // Once while it is suspect, so that a copy that many clients read is recorded once.
      if (result !== undefined && suspectUntil(copy) === 0) onDenied(copy, result)
      // Deleted first, so that the map stays sorted by age.
      untilMs.delete(name)
      untilMs.set(name, clock.now() + suspectMs)
      if (untilMs.size <= suspectsMax) return
      for (const oldest of untilMs.keys()) {
        untilMs.delete(oldest)
        return
      }
    },
    /** The same copies, suspects last, the latest failure at the end. */
    trustedFirst(copies: readonly ReadableCopy[]): readonly ReadableCopy[] {
      return [...copies].sort((a, b) => suspectUntil(a) - suspectUntil(b))
    },
  }
}
