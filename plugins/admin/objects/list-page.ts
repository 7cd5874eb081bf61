import type { Placements } from '#plugins/replication'
import type { ListPage, Objects } from '#plugins/storage'
import { describeObject } from './describe-object.ts'
import type { ObjectPage } from './object-api.ts'
import { nowhere, withoutBytes } from './object-status-policy.ts'

interface ListDeps {
  readonly objects: Pick<Objects, 'contentTypes'>
  readonly placements: Pick<Placements, 'ofContents'>
}

/** One page as the API shows it. The states may be newer than the list. */
export async function describePage(page: ListPage, { objects, placements }: ListDeps): Promise<ObjectPage> {
  const { entries } = page
  const situations = await placements.ofContents(entries.flatMap(({ contentId }) => contentId ?? []))
  const contentTypes = await objects.contentTypes(entries.map(({ versionId }) => versionId))
  return {
    folders: page.commonPrefixes.map((prefix) => ({ name: lastName(prefix), prefix })),
    objects: entries.map((entry) => {
      const situation = entry.contentId === null ? withoutBytes : (situations.get(entry.contentId) ?? nowhere)
      return describeObject(entry, contentTypes.get(entry.versionId) ?? '', situation)
    }),
    has_more: page.isTruncated,
    ...(page.isTruncated && page.last !== undefined ? { next_marker: page.last } : {}),
  }
}

/** `photos` of `2026/photos/`. */
const lastName = (prefix: string): string => prefix.slice(0, -1).split('/').at(-1) ?? ''
