/** A provider that could take a new data set. */
export interface ProviderChoice {
  readonly providerId: string
  readonly isEndorsed: boolean
  /** Round trip of its last ping, in milliseconds. */
  readonly latencyMs: number
  /** Number of our data sets that it already serves. */
  readonly load: number
  /** Largest piece it takes, as registered; at most the largest object. */
  readonly pieceBytesMax: number
}

/**
 * Picks up to `count` providers that take a piece of `pieceBytes` for new replica slots. Order: largest maximum first, because the slot
 * serves the whole bucket; then endorsed; then lowest load, so that one failing provider affects few buckets; then lowest latency. A
 * provider that the bucket ever used is not picked again.
 */
export function selectProviders<P extends ProviderChoice>(
  candidates: readonly P[],
  wanted: { readonly count: number; readonly used: ReadonlySet<string>; readonly pieceBytes: number },
): readonly P[] {
  const rank = (a: P, b: P) =>
    b.pieceBytesMax - a.pieceBytesMax ||
    Number(b.isEndorsed) - Number(a.isEndorsed) ||
    a.load - b.load ||
    a.latencyMs - b.latencyMs ||
    Number(BigInt(a.providerId) - BigInt(b.providerId))
  return candidates
    .filter((candidate) => !wanted.used.has(candidate.providerId) && candidate.pieceBytesMax >= wanted.pieceBytes)
    .sort(rank)
    .slice(0, wanted.count)
}
