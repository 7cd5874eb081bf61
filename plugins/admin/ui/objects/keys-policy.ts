/** Keys of objects and the folders that they form. A key is any text; only `/` separates. */

export interface FolderCrumb {
  /** The part of the key without its slash; empty between two slashes. */
  readonly name: string
  readonly prefix: string
}

/** The folders on the way to a prefix. What follows its last slash is a search, not a folder. */
export function foldersOf(prefix: string): readonly FolderCrumb[] {
  const parts = prefix.split('/').slice(0, -1)
  return parts.map((name, at) => ({ name, prefix: `${parts.slice(0, at + 1).join('/')}/` }))
}

const crumbsMax = 4

/** A long way keeps its first folder and its last two; those between are folded. */
export function foldCrumbs(folders: readonly FolderCrumb[]): Readonly<Record<'first' | 'folded' | 'last', readonly FolderCrumb[]>> {
  if (folders.length <= crumbsMax) return { first: folders, folded: [], last: [] }
  return { first: folders.slice(0, 1), folded: folders.slice(1, -2), last: folders.slice(-2) }
}

/** The folder that a prefix or a key is in: everything up to its last slash. */
export const folderOf = (prefix: string): string => prefix.slice(0, prefix.lastIndexOf('/') + 1)

/** What a row shows: the key without the folder that is open. */
export const nameIn = (folder: string, key: string): string => (key.startsWith(folder) ? key.slice(folder.length) || key : key)

const keyBytesMax = 1024

/** Why a key cannot be stored. */
export function findKeyProblem(key: string): string | undefined {
  const bytes = new TextEncoder().encode(key).length
  if (bytes === 0) return 'The key is empty.'
  if (bytes > keyBytesMax) return `The key has ${bytes} bytes; the limit is ${keyBytesMax}.`
  if (key.includes('\0')) return 'The key has a NUL character.'
  return undefined
}

const longestTypedWord = 80
/** Control, format and line separator characters: a keyboard cannot enter them, or they are invisible. */
const untypable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]|^\s|\s$/u

/** The word to type before a permanent deletion: the key itself, as far as it can be typed. */
export const wordFor = (key: string): string => (key.length <= longestTypedWord && !untypable.test(key) ? key : 'delete forever')
