import type { ProviderChoice } from '../contract/providers.ts'

/**
 * Picks up to `count` providers that take a piece of `pieceBytes` for new replica slots. Order: largest maximum first, because the slot
 * serves the whole bucket; then the preference of plugins; then endorsed; then lowest load, so that one failing provider affects few buckets; then lowest latency. A
 * blocked provider is not picked, and one that the bucket ever used is not picked again.
 */
export function selectProviders<P extends ProviderChoice>(
  candidates: readonly P[],
  wanted: { readonly count: number; readonly used: ReadonlySet<string>; readonly pieceBytes: number },
): readonly P[] {
  const rank = (a: P, b: P) =>
    b.pieceBytesMax - a.pieceBytesMax ||
    (b.preference ?? 0) - (a.preference ?? 0) ||
    Number(b.isEndorsed) - Number(a.isEndorsed) ||
    a.load - b.load ||
    a.latencyMs - b.latencyMs ||
    Number(BigInt(a.providerId) - BigInt(b.providerId))
  return candidates
    .filter(({ providerId, pieceBytesMax, isBlocked }) => !isBlocked && !wanted.used.has(providerId) && pieceBytesMax >= wanted.pieceBytes)
    .sort(rank)
    .slice(0, wanted.count)
}
