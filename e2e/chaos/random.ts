/** Seeded random numbers (mulberry32): the same seed makes the same choices. */
export interface Random {
  /** 0 ≤ n < 1. */
  next(): number
  /** 0 ≤ n < `below`, a whole number. */
  below(below: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  bytes(length: number): Buffer
  /** A second stream, determined by this seed and the name. */
  fork(name: string): Random
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new RangeError('nothing to pick from')
      return items[below(items.length)] as T
    },
    bytes: (length) => Buffer.from(Uint8Array.from({ length }, () => below(256))),
    fork: (name) => createRandom([...name].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), seed ^ 0x811c9dc5)),
  }
}
