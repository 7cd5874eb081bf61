/** Which entries of the cache directory svc did not write, or wrote without a row. Pure. */

export interface Stray {
  /** Path below the folder of all starts. */
  readonly place: string
  /**
   * `file`: svc writes such files. `unknown start`: the folder of a start that the database does not record. `unreadable`: a folder with a
   * problem. `foreign`: svc writes no such entry.
   */
  readonly kind: 'file' | 'unknown start' | 'unreadable' | 'foreign'
  /** Id of a blob: while it is recorded, the entry is no stray. */
  readonly blobId?: string
  readonly problem?: string
}

/** Entry as of `node:fs`. */
interface Entry {
  readonly name: string
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

/** The id of a blob ends with the name of its folder. */
export const blobPlace = /^\d{1,16}\/([0-9a-f]{2})\/([0-9a-f]{30}\1)$/

export const isFilesFolder = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

/** The id of the blob whose file has this place, if svc may have written it. */
const blobIdOf = (place: string): string | undefined => blobPlace.exec(place)?.[2]

/** Folders may be links to other disks. */
const mayBeFolder = (entry: Entry): boolean => entry.isDirectory() || entry.isSymbolicLink()

/** @param folder `''` for that of all starts, `<epoch>/` for that of a start, `<epoch>/<name>` for one with files. */
export function classify(folder: string, entries: readonly Entry[], epochs: ReadonlySet<number>): readonly Stray[] {
  if (folder === '') return entries.flatMap((entry) => classifyStart(entry, epochs))
  if (folder.endsWith('/')) {
    return entries.flatMap((entry) => (isFilesFolder(entry.name) && mayBeFolder(entry) ? [] : foreign(`${folder}${entry.name}`)))
  }
  return entries.map((entry) => classifyFile(`${folder}/${entry.name}`, entry))
}

function classifyStart(entry: Entry, epochs: ReadonlySet<number>): readonly Stray[] {
  const { name } = entry
  if (/^[1-9]\d{0,15}$/.test(name) && mayBeFolder(entry)) return epochs.has(Number(name)) ? [] : [{ place: name, kind: 'unknown start' }]
  // Some file systems make it where they are mounted.
  return name === 'lost+found' && entry.isDirectory() ? [] : foreign(name)
}

function classifyFile(place: string, entry: Entry): Stray {
  const blobId = blobIdOf(place)
  if (blobId === undefined) return { place, kind: 'foreign' }
  return { place, kind: entry.isFile() || entry.isSymbolicLink() ? 'file' : 'foreign', blobId }
}

const foreign = (place: string): readonly Stray[] => [{ place, kind: 'foreign' }]
