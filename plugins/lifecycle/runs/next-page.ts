/** Pages of a bucket's versions and uploads, below the prefixes of its rules. */
import { prefixesOf } from '../rules/expiry-policy.ts'
import { type Walked, walkVersions } from '../rules/walk-policy.ts'
import { abortUploads, type DeleteDeps, deleteVersions, noCounts, type Work } from './delete-due.ts'
import type { Counts, Place } from './run-store.ts'

/** Versions or uploads of one page, and the most that one transaction deletes. */
export const pageSize = 200

/** A place in the middle of a key. Only this process knows it; another run starts with the key. */
interface Within {
  readonly key: string
  /** Names the last upload that was passed, or the last version that stays: a list cannot continue exactly behind a deleted version. */
  readonly id: string
  /** Describes the last version that was passed. */
  readonly walked?: Walked
}

export interface WalkPlace extends Place {
  readonly within?: Within
}

interface Page {
  readonly counts: Counts
  readonly next: WalkPlace
}

/** Returns undefined after the last prefix. */
export async function deleteNextVersions(deps: DeleteDeps, work: Work, place: WalkPlace): Promise<Page | undefined> {
  const { bucket, by } = work
  const prefix = prefixesOf(by.rules, 'versions')[place.prefixAt]
  if (prefix === undefined) return undefined
  const { within, afterKey } = place
  const marker = within ? { keyMarker: within.key, versionIdMarker: within.id } : afterKey === '' ? {} : { keyMarker: afterKey }
  const page = await deps.versions.list({ bucket, prefix, ...marker, limit: pageSize })
  // A client deleted the version behind which the list began, which may have newer versions then: the key is walked again.
  if (within && !(await deps.objects.find(bucket, within.key, within.id))) return { counts: noCounts, next: placeOf(place) }
  // The last version of a page is judged with the next one: the row behind it decides whether it is the only one of its key.
  const lookahead = page.isTruncated ? page.versions.at(-1) : undefined
  const versions = lookahead ? page.versions.slice(0, -1) : page.versions
  const { judgements, walked } = walkVersions(by, versions, { before: within?.walked, next: lookahead })
  const counts = await deleteVersions(deps, work, judgements)
  const last = versions.at(-1)
  if (!lookahead || !last || !walked) return { counts, next: nextPrefix(place) }
  const { prefixAt } = place
  if (lookahead.key !== last.key) return { counts, next: { prefixAt, afterKey: last.key } }
  const doneKey = versions.findLast(({ key }) => key !== last.key)?.key ?? afterKey
  const removed = new Set(judgements.flatMap(({ version, verdict }) => (verdict === 'remove' ? version.versionId : [])))
  const id = versions.findLast(({ key, versionId }) => key === last.key && !removed.has(versionId))?.versionId ?? within?.id
  return { counts, next: { prefixAt, afterKey: doneKey, ...(id !== undefined && { within: { key: last.key, id, walked } }) } }
}

/** Returns undefined after the last prefix. */
export async function abortNextUploads(deps: DeleteDeps, work: Work, place: WalkPlace): Promise<Page | undefined> {
  const { bucket, by } = work
  const prefix = prefixesOf(by.rules, 'uploads')[place.prefixAt]
  if (prefix === undefined) return undefined
  const { within, afterKey, prefixAt } = place
  const marker = within ? { afterKey: within.key, afterUploadId: within.id } : afterKey === '' ? {} : { afterKey }
  const page = await deps.uploads.list({ bucket, prefix, ...marker, limit: pageSize })
  const counts = await abortUploads(deps, work, page.uploads)
  const last = page.uploads.at(-1)
  if (!page.isTruncated || !last) return { counts, next: nextPrefix(place) }
  const doneKey = page.uploads.findLast(({ key }) => key !== last.key)?.key ?? afterKey
  return { counts, next: { prefixAt, afterKey: doneKey, within: { key: last.key, id: last.id } } }
}

const placeOf = ({ prefixAt, afterKey }: WalkPlace): WalkPlace => ({ prefixAt, afterKey })

const nextPrefix = ({ prefixAt }: WalkPlace): WalkPlace => ({ prefixAt: prefixAt + 1, afterKey: '' })
