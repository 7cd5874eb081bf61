import type { Clock } from '#kernel'
import type { ReadableCopy } from './placement-store.ts'

/** A copy that failed a read is asked after the others for so long. */
const doubtMs = 10 * 60_000
/** Beyond, the oldest doubts are forgotten. */
const doubtsMax = 10_000

/** Remembers copies that lately gave no or wrong bytes; in memory, because it only orders choices. */
export function createCopyDoubts(clock: Clock) {
  const untilMs = new Map<string, number>()
  const nameOf = ({ serviceUrl, pieceCid }: ReadableCopy) => `${serviceUrl} ${pieceCid}`
  /** 0 for a trusted copy. */
  const doubtOf = (copy: ReadableCopy) => {
    const until = untilMs.get(nameOf(copy)) ?? 0
    return until > clock.now() ? until : 0
  }
  return {
    raise(copy: ReadableCopy): void {
      const name = nameOf(copy)
      // Deleted first, so that the map stays in order of age.
      untilMs.delete(name)
      untilMs.set(name, clock.now() + doubtMs)
      if (untilMs.size <= doubtsMax) return
      for (const oldest of untilMs.keys()) {
        untilMs.delete(oldest)
        return
      }
    },
    /** The same copies, doubted ones last, the one that failed last at the very end. */
    trustedFirst(copies: readonly ReadableCopy[]): readonly ReadableCopy[] {
      return [...copies].sort((a, b) => doubtOf(a) - doubtOf(b))
    },
  }
}
