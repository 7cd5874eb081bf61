/** Without repetitions of a piece: a provider takes each one once in a call, and the others come with the next. */
export function distinctPieces<C extends { readonly pieceCid: string }>(candidates: readonly C[]): readonly C[] {
  const seen = new Set<string>()
  return candidates.filter(({ pieceCid }) => !seen.has(pieceCid) && seen.add(pieceCid))
}
