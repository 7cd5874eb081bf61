/** Refuses comments that begin with neither their subject nor their verb: the reader would have to find it in the code. */
import { readSources } from '../source-files.ts'

const refusedWords = new Set(
  `Also Among As At Beside Between By During Else From In Inside Instead Like Of On Otherwise Outside
  Per Such That Those Through Under Undefined With Within Without`.split(/\s+/),
)

/** Problems, one per line. */
export async function checkComments(): Promise<readonly string[]> {
  return readSources().flatMap(({ path, text }) =>
    findFragments(text).map(
      ({ word, line }) => `${path}:${line} the comment begins with "${word}": begin with its subject or its verb, as "Returns undefined …"`,
    ),
  )
}

/** Finds comments whose first word is refused. A line comment begins where the line before it is not one. */
export function findFragments(code: string): readonly { readonly word: string; readonly line: number }[] {
  const openings = code.matchAll(/\/\*\*?\s+(?:\* )?(\w+)|\/\/(?<!^[ \t]*\/\/.*\n[ \t]*\/\/) (\w+)/gm)
  return [...openings].flatMap((opening) => {
    const word = opening[1] ?? opening[2] ?? ''
    return refusedWords.has(word) ? [{ word, line: code.slice(0, opening.index).split('\n').length }] : []
  })
}
