import { setImmediate } from 'node:timers/promises'
import type { ContentSituation, CopyWork, Placements } from '#plugins/replication'
import type { ListEntry, Objects } from '#plugins/storage'
import { describeObject } from './describe-object.ts'
import type { ObjectPage } from './object-api.ts'

interface WorkListDeps {
  readonly objects: Pick<Objects, 'list' | 'contentTypes'>
  readonly placements: Pick<Placements, 'ofWork'>
}

interface WorkQuery {
  readonly bucket: string
  readonly prefix: string
  readonly after: string
  readonly work: CopyWork
  readonly limit: number
}

/** Keys read at once, and by one request: a state that nearly no object has gives a short page. */
const keysPerTurn = 500
const keysPerRequest = 5000

interface Found {
  readonly entry: ListEntry
  readonly situation: ContentSituation
}

/** Objects in the order of their keys whose copies are so far. The states are in no index of keys, so each request reads a bounded range. */
export async function listByWork(deps: WorkListDeps, { bucket, prefix, after, work, limit }: WorkQuery): Promise<ObjectPage> {
  const found: Found[] = []
  let last = after
  let keysRead = 0
  while (keysRead < keysPerRequest) {
    const page = await deps.objects.list({ bucket, prefix, after: last, limit: keysPerTurn })
    const matching = await matchesOf(deps, page.entries, work)
    const taken = matching.slice(0, limit - found.length)
    found.push(...taken)
    if (taken.length < matching.length || (found.length === limit && page.isTruncated)) {
      return { ...(await describeFound(deps, found)), has_more: true, ...markerOf(taken.at(-1)?.entry.key) }
    }
    if (!page.isTruncated) return { ...(await describeFound(deps, found)), has_more: false }
    keysRead += page.entries.length
    last = page.last ?? last
    await setImmediate()
  }
  return { ...(await describeFound(deps, found)), has_more: true, keys_read: keysRead, ...markerOf(last) }
}

const markerOf = (key: string | undefined) => (key === undefined ? {} : { next_marker: key })

async function matchesOf({ placements }: WorkListDeps, entries: readonly ListEntry[], work: CopyWork): Promise<readonly Found[]> {
  const situations = await placements.ofWork(
    entries.flatMap(({ contentId }) => contentId ?? []),
    work,
  )
  return entries.flatMap((entry) => {
    const situation = situations.get(entry.contentId ?? 0)
    return situation ? [{ entry, situation }] : []
  })
}

async function describeFound({ objects }: WorkListDeps, found: readonly Found[]): Promise<Pick<ObjectPage, 'folders' | 'objects'>> {
  const contentTypes = await objects.contentTypes(found.map(({ entry }) => entry.versionId))
  return {
    folders: [],
    objects: found.map(({ entry, situation }) => describeObject(entry, contentTypes.get(entry.versionId) ?? '', situation)),
  }
}
