/** Names in an archive. Keys are any text; programs that unpack must stay below the folder that they unpack into. */

/** Longest part of a path, in bytes: the limit of usual file systems, with room for a number. */
const partBytesMax = 200
/** Control characters, and what Windows refuses in names. */
const unsafe = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029<>:"|?*\\]/gu
/** Devices of Windows. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Folders that are remembered; archives of usual keys have fewer. */
const foldersMax = 50_000

/**
 * Gives each key a relative path that is unlike all before it, also where letter case does not count. No path is a file and a folder: the
 * one that comes later gets a number.
 */
export class EntryNames {
  /** Folded paths of files and folders. */
  readonly #taken = new Set<string>()
  /** The number of each folder, by its folded path. */
  readonly #folders = new Map<string, number>()
  /** The next number to try, by the folded path. */
  readonly #next = new Map<string, number>()

  nameOf(key: string): string {
    const parts = key
      .toWellFormed()
      .split('/')
      .map(safePart)
      .filter((part) => part !== '')
    const name = parts.pop() ?? 'object'
    // Above the limit an object lies beside the folders, with its path as its name.
    const path = this.#folders.size < foldersMax ? this.#folderOf(parts) + name : cut([...parts, name].join('_'))
    return withNumber(path, this.#takeNumber(folded(path)))
  }

  #folderOf(parts: readonly string[]): string {
    let folder = ''
    for (const part of parts) {
      const place = folded(folder + part)
      const n = this.#folders.get(place) ?? this.#takeNumber(place)
      this.#folders.set(place, n)
      folder = `${withNumber(folder + part, n)}/`
    }
    return folder
  }

  #takeNumber(place: string): number {
    let n = this.#next.get(place) ?? 1
    while (this.#taken.has(withNumber(place, n))) n += 1
    this.#taken.add(withNumber(place, n))
    if (n > 1) this.#next.set(place, n + 1)
    return n
  }
}

/** The same for names that differ in letter case only. Lower case alone has two letters for the Greek sigma. */
const folded = (path: string): string => path.toLowerCase().toUpperCase()

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

/** The first of a name has no number. */
function withNumber(path: string, n: number): string {
  if (n === 1) return path
  const dot = path.lastIndexOf('.')
  return dot > path.lastIndexOf('/') + 1 ? `${path.slice(0, dot)} (${n})${path.slice(dot)}` : `${path} (${n})`
}
