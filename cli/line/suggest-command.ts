/** Finds the command that was probably meant by an unknown line. */
import { typoDistance } from '#kernel/host'

/** Costs in letters: of a missing word of the name, and of an extra word in the line, such as a parameter. */
const missingWordCost = 2
const extraWordCost = 3

/**
 * The name with the lowest cost; undefined when there is none, or several with the same cost.
 * @param knownCount number of leading words that are correct: those of a group, such as `admin task`
 */
export function suggestCommand(words: readonly string[], names: readonly string[], knownCount: number): string | undefined {
  const costs = names.flatMap((name) => {
    const cost = costOf({ words, name: name.split(' '), knownCount })
    return cost === undefined ? [] : [{ name, cost }]
  })
  const [best, second] = costs.sort((a, b) => a.cost - b.cost)
  return best?.cost === second?.cost ? undefined : best?.name
}

interface Comparison {
  readonly words: readonly string[]
  readonly name: readonly string[]
  readonly knownCount: number
}

/** Returns undefined unless one of the unknown words is similar to a word of the name. */
function costOf({ words, name, knownCount }: Comparison): number | undefined {
  const [word, ...laterWords] = words
  const [part, ...laterParts] = name
  if (word === undefined || part === undefined) return undefined
  const costs: number[] = []
  const add = (own: number, rest: number | undefined): void => {
    if (rest !== undefined) costs.push(own + rest)
  }
  add(missingWordCost, costOf({ words, name: laterParts, knownCount }))
  const distance = typoDistance(word, part)
  if (knownCount > 0) {
    const later = { words: laterWords, knownCount: knownCount - 1 }
    add(extraWordCost, costOf({ ...later, name }))
    if (distance !== undefined) add(distance, costOf({ ...later, name: laterParts }))
  } else if (distance !== undefined) {
    add(distance, costOf({ words: laterWords, name: laterParts, knownCount: 0 }) ?? costOfRest(laterWords, laterParts))
  }
  return costs.length === 0 ? undefined : Math.min(...costs)
}

const costOfRest = (words: readonly string[], parts: readonly string[]): number =>
  words.length * extraWordCost + parts.length * missingWordCost
