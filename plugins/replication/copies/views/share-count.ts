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

/** Subjects whose last count is kept. */
const subjectsMax = 64

/** The same for each subject, of which the least recently requested ones are forgotten. */
export function shareCounts<K, T>(clock: Clock, countOf: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const counts = new Map<K, () => Promise<T>>()
  return (key) => {
    const count = counts.get(key) ?? shareCount(clock, () => countOf(key))
    counts.delete(key)
    counts.set(key, count)
    for (const oldest of counts.keys()) if (counts.size > subjectsMax) counts.delete(oldest)
    return count()
  }
}
