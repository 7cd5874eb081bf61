/** Numbers of pieces that a provider accepts in a paid call. Providers do not tell: their acceptances and refusals do. Pure. */

/** A removal counts the removals that are queued already, because providers with a limit do. */
export type SizedCall = 'addition' | 'removal'

export interface CallLimit {
  readonly pieces: number
  /** When a larger call was refused; null: none was since a call of this size was accepted. */
  readonly refusedAtMs: number | null
}

/** Curio accepted these until September 2026, and so does every provider. */
export const firstPieces: Readonly<Record<SizedCall, number>> = { addition: 40, removal: 35 }
/** Providers are upgraded at different times: so long after a refusal, a larger call is tried again. */
export const raiseAfterMs = 7 * 24 * 3_600_000

/** Pieces of the next call; `max` is the limit for every provider. */
export function piecesOfCall(call: SizedCall, learnt: CallLimit | undefined, at: { readonly max: number; readonly nowMs: number }): number {
  if (!learnt) return Math.min(firstPieces[call], at.max)
  const { pieces, refusedAtMs } = learnt
  return refusedAtMs === null || at.nowMs >= refusedAtMs + raiseAfterMs ? at.max : Math.min(pieces, at.max)
}

/** What an accepted call teaches; undefined: nothing new. A provider that takes the first limit is asked for more. */
export function afterAccepted(call: SizedCall, learnt: CallLimit | undefined, pieces: number): CallLimit | undefined {
  const isNew = learnt ? pieces > learnt.pieces : pieces >= firstPieces[call]
  return isNew ? { pieces, refusedAtMs: null } : undefined
}

/** What a call refused for its size teaches: the limit that the provider named, or half of the call. */
export function afterRefused({
  pieces,
  named,
  nowMs,
}: {
  readonly pieces: number
  readonly named?: number | undefined
  readonly nowMs: number
}): CallLimit {
  const isPlausible = named !== undefined && named >= 1 && named < pieces
  return { pieces: isPlausible ? named : Math.max(1, Math.floor(pieces / 2)), refusedAtMs: nowMs }
}
