/** Samples over time. Pure. */

export interface Sample {
  readonly atMs: number
  readonly running: number
  readonly pending: number
  readonly cacheUsedBytes: number
  /** Current versions, those with all copies, and the bytes of all. */
  readonly objects: number
  readonly stored: number
  readonly bytes: number
}

/** About an hour at one sample in 10 s. */
export const samplesMax = 360

/** The same answer, read by several parts of a page, is one sample. The oldest samples leave. */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1)
  if (last && last.atMs >= sample.atMs) return samples
  return [...samples, sample].slice(-samplesMax)
}
