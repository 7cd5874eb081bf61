import type { Clock } from '#kernel'

const keepMs = 1000
/** Counting takes at most a tenth of the time, however often it is requested. */
const restFactor = 9

/** Shares one running count among concurrent callers and keeps its result for at least `keepMs`. */
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
