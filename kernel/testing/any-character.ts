import type { Arbitrary, nat } from 'fast-check'

/** Code points of UTF-16 surrogates, which are no characters. */
const [surrogatesFrom, surrogatesEnd] = [0xd800, 0xe000]
const count = 0x110000 - (surrogatesEnd - surrogatesFrom)

const build = (index: number): string => String.fromCodePoint(index < surrogatesFrom ? index : index + surrogatesEnd - surrogatesFrom)

function indexOf(character: unknown): number {
  const codePoint = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (codePoint === undefined || build(toIndex(codePoint)) !== character) throw new Error('not one character')
  return toIndex(codePoint)
}

const toIndex = (codePoint: number) => (codePoint < surrogatesFrom ? codePoint : codePoint - surrogatesEnd + surrogatesFrom)

/** Any Unicode character, as a `unit` of texts. The characters of the unit 'binary' are the same, but it lists all in a map first: 1 s. */
export const anyCharacter = (natural: typeof nat): Arbitrary<string> => natural({ max: count - 1 }).map(build, indexOf)
