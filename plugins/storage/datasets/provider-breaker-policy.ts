/** When a provider that does not answer is left alone, and when it is tried again. Pure. */

export interface Breaker {
  /** Calls in a row that got no answer. */
  readonly silences: number
  /** How often it opened in a row; 0 while it is closed. */
  readonly openings: number
  /** No call before; of no meaning while it is closed. */
  readonly openUntilMs: number
}

export interface BreakerPauses {
  /** The first pause; each further one is twice as long. */
  readonly firstMs: number
  readonly mostMs: number
}

export const closedBreaker: Breaker = { silences: 0, openings: 0, openUntilMs: 0 }

/** Fewer may be a passing fault of the network. */
export const silencesUntilOpen = 3

export type BreakerVerdict =
  | { readonly kind: 'closed' }
  /** Half open: one call decides. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'open'; readonly untilMs: number }

export function judgeBreaker({ openings, openUntilMs }: Breaker, nowMs: number, { mostMs }: BreakerPauses): BreakerVerdict {
  if (openings === 0) return { kind: 'closed' }
  // A pause longer than the longest one means that the clock was set back.
  const isOpen = nowMs < openUntilMs && openUntilMs - nowMs <= mostMs
  return isOpen ? { kind: 'open', untilMs: openUntilMs } : { kind: 'probe' }
}

export function afterSilence(breaker: Breaker, nowMs: number, pauses: BreakerPauses): Breaker {
  // Calls that were under way when it opened say nothing new.
  if (judgeBreaker(breaker, nowMs, pauses).kind === 'open') return breaker
  const silences = breaker.silences + 1
  if (silences < silencesUntilOpen) return { ...breaker, silences }
  const pauseMs = Math.min(pauses.firstMs * 2 ** breaker.openings, pauses.mostMs)
  return { silences, openings: breaker.openings + 1, openUntilMs: nowMs + pauseMs }
}
