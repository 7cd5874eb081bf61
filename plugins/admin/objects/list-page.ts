import type { Placements } from '#plugins/replication'
import type { ListEntry, ListPage, Objects } from '#plugins/storage'
import { describeObject } from './describe-object.ts'
import type { ObjectPage } from './object-api.ts'

interface ListDeps {
  readonly objects: Pick<Objects, 'find'>
  readonly placements: Pick<Placements, 'ofContents'>
}

/** One page as the API shows it. Synchronous, so that objects and states are read at the same moment. */
export async function describePage(page: ListPage, bucket: string, { objects, placements }: ListDeps): Promise<ObjectPage> {
  const { entries } = page
  const situations = await placements.ofContents(entries.flatMap(({ contentId }) => contentId ?? []))
  // Finding the current version takes half the time of finding a version by its id.
  const contentType = async ({ key }: ListEntry) => (await objects.find(bucket, key))?.headers.contentType ?? ''
  return {
    folders: page.commonPrefixes.map((prefix) => ({ name: lastName(prefix), prefix })),
    objects: await Promise.all(
      entries.map(async (entry) =>
        describeObject(entry, await contentType(entry), entry.contentId === null ? undefined : situations.get(entry.contentId)),
      ),
    ),
    has_more: page.isTruncated,
    ...(page.isTruncated && page.last !== undefined ? { next_marker: page.last } : {}),
  }
}

/** `photos` of `2026/photos/`. */
const lastName = (prefix: string): string => prefix.slice(0, -1).split('/').at(-1) ?? ''
