/** Decides whether a restore would change anything visible to readers. */
import type { ObjectHeaders, ObjectVersion } from '../contract.ts'

type Compared = Pick<ObjectVersion, 'versionId' | 'isDeleteMarker' | 'contentId' | 'headers'>

/** `isReadable`: the current version has not failed, and its bytes are in the cache or on chain. */
export function isAlreadyCurrent(source: Compared, current: Compared, { isReadable }: { readonly isReadable: boolean }): boolean {
  if (source.versionId === current.versionId) return true
  if (!isReadable || current.isDeleteMarker) return false
  return source.contentId === current.contentId && haveSameText(source.headers, current.headers)
}

function haveSameText(a: ObjectHeaders, b: ObjectHeaders): boolean {
  const { tags: tagsOfA = {} } = a
  const { tags: tagsOfB = {} } = b
  return a.contentType === b.contentType && areEqual(a.system, b.system) && areEqual(a.user, b.user) && areEqual(tagsOfA, tagsOfB)
}

type Texts = Readonly<Record<string, string>>

function areEqual(a: Texts, b: Texts): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}
