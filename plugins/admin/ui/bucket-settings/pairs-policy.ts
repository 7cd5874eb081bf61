export interface Pair {
  readonly key: string
  readonly value: string
}

const equals = '%3D'

/** One line: keys and values have no comma and no percent sign. The first equals sign ends the key; inside a key it is `%3D`. */
export const writePairs = (pairs: readonly Pair[]): string =>
  pairs.map(({ key, value }) => `${key.replaceAll('=', equals)}=${value}`).join(', ')

export const readPairs = (text: string): readonly Pair[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=')
      const [key, value] = at < 0 ? [part, ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
      return { key: key.replaceAll(equals, '='), value }
    })
