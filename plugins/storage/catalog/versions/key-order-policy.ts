/** Order of keys: by their UTF-8 bytes, like SQLite. JavaScript's `<` differs above U+FFFF. */

const highestScalar = 0x10ffff
const surrogatesFirst = 0xd800
const surrogatesEnd = 0xe000

/** Negative when `a` comes before `b`. */
export function compareKeys(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const unitA = a.charCodeAt(i)
    const unitB = b.charCodeAt(i)
    if (unitA !== unitB) return rank(unitA) - rank(unitB)
  }
  return a.length - b.length
}

/** Surrogates encode code points above U+FFFF, so they rank above all other units. */
const rank = (unit: number): number => (unit < surrogatesFirst ? unit : unit < surrogatesEnd ? unit + 0x2000 : unit - 0x800)

/** The smallest string above all strings that start with `text`; undefined if none exists. */
export function successorOf(text: string): string | undefined {
  const scalars = Array.from(text)
  for (let last = scalars.pop(); last !== undefined; last = scalars.pop()) {
    const scalar = last.codePointAt(0) ?? 0
    if (scalar < highestScalar) return scalars.join('') + String.fromCodePoint(scalar + 1 === surrogatesFirst ? surrogatesEnd : scalar + 1)
  }
  return undefined
}

/** The smallest key above `key`: keys contain no NUL. */
export const justAfter = (key: string): string => `${key}\u0001`

/** The common prefix of `key`: up to and including the first delimiter after `prefix`. Undefined without such a delimiter. */
export function groupOf(key: string, prefix: string, delimiter: string): string | undefined {
  const at = key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}
