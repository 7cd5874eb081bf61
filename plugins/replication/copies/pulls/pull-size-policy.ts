/** Pieces that a busy provider still takes per payer. */
const guaranteedPieces = 10
/** How long pulls stay small after a provider was busy. */
const smallForMs = 60 * 60_000

/** Maximum number of pieces of the next pull; `usualMax` unless the provider was busy recently. */
export function pullPiecesMax(usualMax: number, throttledUntilMs: number | null, nowMs: number): number {
  return throttledUntilMs !== null && nowMs < throttledUntilMs + smallForMs ? guaranteedPieces : usualMax
}

/** Whether a busy provider takes the pull as signed. */
export const isSmallEnough = ({ length }: readonly unknown[]): boolean => length <= guaranteedPieces

/**
 * The first of the pieces that together have at most `bytesMax`, at least one. They are committed together when the last has arrived, so
 * large pieces are pulled one by one: each may leave the cache before the next one arrives, and has the whole time limit of a pull.
 */
export function withinBytes<P extends { readonly length: number }>(pieces: readonly P[], bytesMax: number): readonly P[] {
  let bytes = 0
  const next = pieces.findIndex(({ length }) => {
    bytes += length
    return bytes > bytesMax
  })
  return next === -1 ? pieces : pieces.slice(0, Math.max(1, next))
}
