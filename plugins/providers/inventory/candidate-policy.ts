import type { ProviderChoice } from '../contract/providers.ts'

/** Why a provider cannot take a replica of a bucket. The first two are those of the Admin API. */
type IneligibleReason = 'current_source' | 'already_serves_bucket' | 'blocked' | 'piece_too_large'

export interface Candidate<P extends ProviderChoice> {
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

/** Why a provider was chosen: the first criterion by which it is better than the best one that was not chosen. */
export interface ChosenBecause {
  readonly reason: (typeof criteria)[number]['reason'] | 'only_choice'
  /** For the operator. */
  readonly detail: string
}

/** The slot that makes the total of data sets a multiple of this one tries a provider without measurements first. */
const exploreEvery = 4
/** Rates within this factor count as equal, because the load decides then: one failing provider must affect few buckets. */
const speedFactorLog2 = 2

/** What all candidates have in common. */
interface Field {
  readonly isExploring: boolean
  /** The speed class of a provider without measurements: the middle of the others, so that the load decides. */
  readonly unmeasuredClass: number
}

interface Criterion {
  readonly reason: string
  /** Greater is better. */
  value(provider: ProviderChoice, field: Field): number
  detail(chosen: ProviderChoice, next: ProviderChoice): string
}

const rateOf = ({ uploadBytesPerSecond: rate }: ProviderChoice): string =>
  rate === undefined ? 'not measured' : `${(rate / (1024 * 1024)).toFixed(1)} MiB/s`

/**
 * The first one that differs decides. Degraded providers come last; then the largest maximum counts, because the slot serves the whole
 * bucket, and what plugins prefer; then endorsed, and fast by our own uploads; then the lowest load and latency.
 */
const criteria = [
  {
    reason: 'healthy',
    value: (one) => (one.degraded === undefined ? 1 : 0),
    detail: (_, next) => `the next one is degraded: ${next.degraded}`,
  },
  { reason: 'larger_pieces', value: (one) => one.pieceBytesMax, detail: (one) => `takes pieces up to ${one.pieceBytesMax} bytes` },
  { reason: 'preferred', value: (one) => one.preference ?? 0, detail: (one) => `a plugin prefers it (${one.preference ?? 0})` },
  { reason: 'endorsed', value: (one) => Number(one.isEndorsed), detail: () => 'on the endorsement list' },
  {
    reason: 'explored',
    value: (one, { isExploring }) => (isExploring && one.uploadBytesPerSecond === undefined ? 1 : 0),
    detail: () => `without measurements: one of ${exploreEvery} data sets tries such a provider`,
  },
  {
    reason: 'fast',
    value: ({ uploadBytesPerSecond: rate }, { unmeasuredClass }) => (rate === undefined ? unmeasuredClass : speedClass(rate)),
    detail: (one, next) => `uploads at ${rateOf(one)}, the next one: ${rateOf(next)}`,
  },
  {
    reason: 'fewest_data_sets',
    value: (one) => -one.load,
    detail: (one, next) => `has ${one.load} of our data sets, the next one ${next.load}`,
  },
  {
    reason: 'lowest_latency',
    value: (one) => -one.latencyMs,
    detail: (one, next) => `answered the ping in ${one.latencyMs} ms, the next one in ${next.latencyMs} ms`,
  },
  { reason: 'lowest_id', value: (one) => -Number(one.providerId), detail: () => 'equal to the next one' },
] as const satisfies readonly Criterion[]

const speedClass = (bytesPerSecond: number): number => Math.floor(Math.log2(Math.max(bytesPerSecond, 1)) / speedFactorLog2)

/** Judges providers for a replica slot, best first. */
export function judgeCandidates<P extends ProviderChoice>(providers: readonly P[], wanted: Wanted): readonly Candidate<P>[] {
  const field = fieldOf(providers)
  return providers
    .toSorted((a, b) => compare(a, b, field) || Number(BigInt(a.providerId) - BigInt(b.providerId)))
    .map((provider) => {
      const ineligibleReason = reasonAgainst(provider, wanted)
      const previouslyUsed = wanted.used.has(provider.providerId) && !wanted.serving.has(provider.providerId)
      return { provider, eligible: ineligibleReason === undefined, ...(ineligibleReason && { ineligibleReason }), previouslyUsed }
    })
}

/** The best of these candidates that svc may choose, at most `count`, each with the reason. */
export function chooseCandidates<P extends ProviderChoice>(
  providers: readonly P[],
  { count, ...wanted }: Wanted & { readonly count: number },
): readonly (P & { readonly chosenBecause: ChosenBecause })[] {
  const free = judgeCandidates(providers, wanted).flatMap(({ provider, eligible, previouslyUsed }) =>
    eligible && !previouslyUsed ? [provider] : [],
  )
  const field = fieldOf(providers)
  const next = free[count]
  return free.slice(0, count).map((provider) => ({ ...provider, chosenBecause: explain(provider, next, field) }))
}

function explain(chosen: ProviderChoice, next: ProviderChoice | undefined, field: Field): ChosenBecause {
  const deciding = next && criteria.find(({ value }) => value(chosen, field) !== value(next, field))
  if (next === undefined || deciding === undefined) return { reason: 'only_choice', detail: 'no other provider can take the data set' }
  return { reason: deciding.reason, detail: deciding.detail(chosen, next) }
}

function compare(a: ProviderChoice, b: ProviderChoice, field: Field): number {
  for (const { value } of criteria) {
    const difference = value(b, field) - value(a, field)
    if (difference !== 0) return difference
  }
  return 0
}

function fieldOf(providers: readonly ProviderChoice[]): Field {
  const dataSets = providers.reduce((sum, { load }) => sum + load, 0)
  const classes = providers
    .flatMap(({ uploadBytesPerSecond: rate }) => (rate === undefined ? [] : [speedClass(rate)]))
    .sort((a, b) => a - b)
  return { isExploring: dataSets % exploreEvery === exploreEvery - 1, unmeasuredClass: classes[Math.floor((classes.length - 1) / 2)] ?? 0 }
}

function reasonAgainst({ providerId, isBlocked, pieceBytesMax }: ProviderChoice, wanted: Wanted): IneligibleReason | undefined {
  if (providerId === wanted.source) return 'current_source'
  if (wanted.serving.has(providerId)) return 'already_serves_bucket'
  if (isBlocked) return 'blocked'
  return pieceBytesMax < wanted.pieceBytes ? 'piece_too_large' : undefined
}
