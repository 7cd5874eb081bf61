/** Maximum number of different letters; also at most half of the longer word. */
const distanceMax = 3

/** The most similar candidate; undefined when none is similar or several are equally similar. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const words = [...new Set(candidates)]
  const begun = words.filter((candidate) => word.length > 1 && candidate.startsWith(word))
  if (begun.length === 1) return begun[0]
  const near = words.flatMap((candidate) => {
    const distance = typoDistance(word, candidate)
    return distance === undefined ? [] : [{ candidate, distance }]
  })
  const [best, second] = near.sort((a, b) => a.distance - b.distance)
  return best?.distance === second?.distance ? undefined : best?.candidate
}

/** The letters to insert, delete, replace or swap with their neighbour; undefined when the words have too little in common. */
export function typoDistance(from: string, to: string): number | undefined {
  const distance = editDistance(from, to)
  return distance > distanceMax || distance * 2 > Math.max(from.length, to.length) ? undefined : distance
}

function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (rows[i - 1]?.[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwap ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : replaced
      row.push(Math.min(replaced, swapped, (rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    rows.push(row)
  }
  return rows[from.length]?.[to.length] ?? 0
}
