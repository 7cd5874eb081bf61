/** Finds the command that an unknown line probably means. */
import { typoDistance } from '#kernel'

/** In letters: a word of the name that was left out, and a word of the line that the name does not have, such as a parameter. */
const missingWordCost = 2
const extraWordCost = 3

/**
 * The only cheapest name to turn the words into; undefined when none or several are.
 * @param knownCount how many of the words are right: those of a group, such as `admin task`
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

/** Undefined unless one of the words that are not known is near a word of the name. */
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
