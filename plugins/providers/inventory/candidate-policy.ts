import type { ProviderChoice } from '../contract/providers.ts'

/** Why a provider cannot take a replica of a bucket. The first two are those of the Admin API. */
type IneligibleReason = 'current_source' | 'already_serves_bucket' | 'blocked' | 'piece_too_large'

interface Candidate<P extends ProviderChoice> {
  readonly provider: P
  readonly eligible: boolean
  readonly ineligibleReason?: IneligibleReason
  /** The bucket used it and has fully retired it. An operator may choose it; svc never chooses it again. */
  readonly previouslyUsed: boolean
}

interface Wanted {
  /** Size of the largest piece that it must take. */
  readonly pieceBytes: number
  /** Providers that the bucket ever used. */
  readonly used: ReadonlySet<string>
  /** Providers that still serve the bucket. */
  readonly serving: ReadonlySet<string>
  /** The provider that is to be replaced, if any. */
  readonly source?: string
}

/**
 * Judges providers for a replica slot, best first. Order: largest maximum first, because the slot serves the whole bucket; then the
 * preference of plugins; then endorsed; then lowest load, so that one failing provider affects few buckets; then lowest latency.
 */
export function judgeCandidates<P extends ProviderChoice>(providers: readonly P[], wanted: Wanted): readonly Candidate<P>[] {
  const rank = (a: P, b: P) =>
    b.pieceBytesMax - a.pieceBytesMax ||
    (b.preference ?? 0) - (a.preference ?? 0) ||
    Number(b.isEndorsed) - Number(a.isEndorsed) ||
    a.load - b.load ||
    a.latencyMs - b.latencyMs ||
    Number(BigInt(a.providerId) - BigInt(b.providerId))
  return providers.toSorted(rank).map((provider) => {
    const ineligibleReason = reasonAgainst(provider, wanted)
    const previouslyUsed = wanted.used.has(provider.providerId) && !wanted.serving.has(provider.providerId)
    return { provider, eligible: ineligibleReason === undefined, ...(ineligibleReason && { ineligibleReason }), previouslyUsed }
  })
}

function reasonAgainst({ providerId, isBlocked, pieceBytesMax }: ProviderChoice, wanted: Wanted): IneligibleReason | undefined {
  if (providerId === wanted.source) return 'current_source'
  if (wanted.serving.has(providerId)) return 'already_serves_bucket'
  if (isBlocked) return 'blocked'
  return pieceBytesMax < wanted.pieceBytes ? 'piece_too_large' : undefined
}
