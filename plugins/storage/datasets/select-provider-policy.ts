/** A provider that could take a new data set. */
export interface ProviderChoice {
  readonly providerId: string
  readonly isEndorsed: boolean
  /** Milliseconds of its last ping. */
  readonly latencyMs: number
  /** Data sets of ours that it already serves. */
  readonly load: number
}

/**
 * Picks up to `count` providers for new replica slots. Endorsed ones come first, then those that serve us least (so that one failing
 * provider touches few buckets), then the nearest. A provider that the bucket ever used is not picked again.
 */
export function selectProviders<P extends ProviderChoice>(
  candidates: readonly P[],
  wanted: { readonly count: number; readonly used: ReadonlySet<string> },
): readonly P[] {
  const rank = (a: P, b: P) =>
    Number(b.isEndorsed) - Number(a.isEndorsed) ||
    a.load - b.load ||
    a.latencyMs - b.latencyMs ||
    Number(BigInt(a.providerId) - BigInt(b.providerId))
  return candidates
    .filter((candidate) => !wanted.used.has(candidate.providerId))
    .sort(rank)
    .slice(0, wanted.count)
}
