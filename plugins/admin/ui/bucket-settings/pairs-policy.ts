export interface Pair {
  readonly key: string
  readonly value: string
}

/** Names and values cannot have a comma, so that one line says all. */
export const writePairs = (pairs: readonly Pair[]): string => pairs.map(({ key, value }) => `${key}=${value}`).join(', ')

export const readPairs = (text: string): readonly Pair[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=')
      return at < 0 ? { key: part, value: '' } : { key: part.slice(0, at).trim(), value: part.slice(at + 1).trim() }
    })
