/** Keeps the first of equal pieces: a provider takes each piece once per call. The others go into the next call. */
export function distinctPieces<C extends { readonly pieceCid: string }>(candidates: readonly C[]): readonly C[] {
  const seen = new Set<string>()
  return candidates.filter(({ pieceCid }) => !seen.has(pieceCid) && seen.add(pieceCid))
}
