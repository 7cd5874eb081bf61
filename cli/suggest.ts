/** At most this many letters may differ, and fewer than half of the word, for another word to be what was meant. */
const distanceMax = 3

/** The candidate most like the word, when it is likely that it was meant. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate)
    if (distance > distanceMax || distance * 2 > Math.max(word.length, candidate.length)) continue
    if (!best || distance < best.distance) best = { candidate, distance }
  }
  return best?.candidate
}

/** Insertions, deletions and replacements that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
