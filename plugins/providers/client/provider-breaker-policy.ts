/** Circuit breaker for providers that do not answer. Pure. */

export interface Breaker {
  /** Calls in a row without an answer. */
  readonly unanswered: number
  /** How often it opened in a row; 0 while it is closed. */
  readonly openings: number
  /** No call before this time; ignored while it is closed. */
  readonly openUntilMs: number
}

export interface BreakerPauses {
  /** The first pause; each further one is twice as long. */
  readonly firstMs: number
  readonly mostMs: number
}

export const closedBreaker: Breaker = { unanswered: 0, openings: 0, openUntilMs: 0 }

/** Fewer may be a short network fault. */
export const unansweredUntilOpen = 3

type BreakerVerdict =
  | { readonly kind: 'closed' }
  /** Half open: one call decides. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'open'; readonly untilMs: number }

export function judgeBreaker({ openings, openUntilMs }: Breaker, nowMs: number, { mostMs }: BreakerPauses): BreakerVerdict {
  if (openings === 0) return { kind: 'closed' }
  // A remaining pause above the maximum means that the clock stepped back.
  const isOpen = nowMs < openUntilMs && openUntilMs - nowMs <= mostMs
  return isOpen ? { kind: 'open', untilMs: openUntilMs } : { kind: 'probe' }
}

export function afterNoAnswer(breaker: Breaker, nowMs: number, pauses: BreakerPauses): Breaker {
  // Ignore calls that were running when it opened.
  if (judgeBreaker(breaker, nowMs, pauses).kind === 'open') return breaker
  const unanswered = breaker.unanswered + 1
  if (unanswered < unansweredUntilOpen) return { ...breaker, unanswered }
  const pauseMs = Math.min(pauses.firstMs * 2 ** breaker.openings, pauses.mostMs)
  return { unanswered, openings: breaker.openings + 1, openUntilMs: nowMs + pauseMs }
}
