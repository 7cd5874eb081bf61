/** A busy provider still takes this many pieces of each payer. */
const guaranteedPieces = 10
/** Pulls stay small for so long after a provider was busy. */
const smallForMs = 60 * 60_000

/** How many pieces the next pull may name, of `usualMax`. */
export function pullPiecesMax(usualMax: number, throttledUntilMs: number | null, nowMs: number): number {
  return throttledUntilMs !== null && nowMs < throttledUntilMs + smallForMs ? guaranteedPieces : usualMax
}

/** A pull that a busy provider will take one day: it is asked for again as it was signed. */
export const isSmallEnough = ({ length }: readonly unknown[]): boolean => length <= guaranteedPieces
