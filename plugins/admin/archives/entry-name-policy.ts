/** Names in an archive. Keys are any text; programs that unpack must stay below the folder that they unpack into. */

/** Longest part of a path, in bytes: the limit of usual file systems, with room for a number. */
const partBytesMax = 200
/** Control characters, and what Windows refuses in names. */
const unsafe = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029<>:"|?*\\]/gu
/** Devices of Windows. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Gives each key a relative path that is unlike all before it, also where letter case does not count. */
export class EntryNames {
  readonly #taken = new Set<string>()

  nameOf(key: string): string {
    const parts = key
      .toWellFormed()
      .split('/')
      .map(safePart)
      .filter((part) => part !== '')
    const path = parts.join('/') || 'object'
    let name = path
    for (let n = 2; this.#taken.has(name.toLowerCase()); n += 1) name = withNumber(path, n)
    this.#taken.add(name.toLowerCase())
    return name
  }
}

function safePart(part: string): string {
  const shown = cut(withoutEnd(part.replaceAll(unsafe, '_')))
  return reserved.test(shown) ? `_${shown}` : shown
}

/** Windows drops dots and spaces at the end of a name. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === '.' || text[end - 1] === ' ')) end -= 1
  return text.slice(0, end)
}

/** Cuts between characters. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= partBytesMax) return text
  let [kept, bytes] = ['', 0]
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > partBytesMax) break
    kept += character
  }
  return kept
}

function withNumber(path: string, n: number): string {
  const dot = path.lastIndexOf('.')
  return dot > path.lastIndexOf('/') + 1 ? `${path.slice(0, dot)} (${n})${path.slice(dot)}` : `${path} (${n})`
}
