import type { Clock } from '#kernel'

const keepMs = 1000
/** Counting takes a tenth of the time at most, however often it is asked for. */
const restFactor = 9

/** Counts once for everybody who asks meanwhile, and keeps the result for a while. */
export function shareCount<T>(clock: Clock, count: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined
  let keptUntilMs = 0
  return () => {
    if (latest !== undefined && clock.now() < keptUntilMs) return latest
    const startedAtMs = clock.now()
    keptUntilMs = Number.POSITIVE_INFINITY
    latest = count().finally(() => {
      const endedAtMs = clock.now()
      keptUntilMs = endedAtMs + Math.max(keepMs, (endedAtMs - startedAtMs) * restFactor)
    })
    return latest
  }
}
