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
