import type { Params, Reader } from '#kernel'
import { statement } from '../../tables.ts'
import { copyCounts, isCached, packing } from '../records/content-columns.ts'
import type { LocatedContent } from '../records/object-state-policy.ts'

interface PartRow extends LocatedContent {
  readonly compositeId: number
}

const findParts = statement((db, { compositeIds }: Params<{ compositeIds: readonly number[] }>) =>
  db
    .selectFrom((parts) =>
      parts
        .selectFrom('content_parts')
        .select(['content_id', 'part_content_id'])
        .distinct()
        .where('content_id', 'in', compositeIds)
        .as('p'),
    )
    .innerJoin('contents as c', 'c.id', 'p.part_content_id')
    .select((part) => [
      'p.content_id as compositeId',
      'c.id as contentId',
      'c.store_state as storeState',
      ...packing(part as never),
      ...copyCounts(part as never),
      isCached(part as never),
    ])
    .orderBy('p.content_id')
    .orderBy('c.id'),
)

const findComposites = statement((db, { contentIds, limit }: Params<{ contentIds: readonly number[]; limit: number }>) =>
  db.selectFrom('content_parts').select('content_id as id').distinct().where('part_content_id', 'in', contentIds).limit(limit),
)

const findMembers = statement((db, { contentIds, limit }: Params<{ contentIds: readonly number[]; limit: number }>) =>
  db.selectFrom('pack_members').select('content_id as id').where('pack_id', 'in', contentIds).limit(limit),
)

/** The different parts of composite contents, with where their copies are. */
export async function partsOfComposites(reader: Reader, compositeIds: readonly number[]): Promise<ReadonlyMap<number, readonly PartRow[]>> {
  const rows = await reader.all(findParts, { compositeIds })
  return Map.groupBy(
    rows.map((row) => ({ ...row, isCached: row.isCached === 1, isWaiting: row.isWaiting === 1 })),
    ({ compositeId }) => compositeId,
  )
}

/** Composite contents with these parts, at most `limit`. */
export async function compositesOf(reader: Reader, contentIds: readonly number[], limit: number): Promise<readonly number[]> {
  return (await reader.all(findComposites, { contentIds, limit })).map(({ id }) => id)
}

/** Members of these packs, whose copies are those of their pack, at most `limit`. */
export async function membersOf(reader: Reader, contentIds: readonly number[], limit: number): Promise<readonly number[]> {
  return (await reader.all(findMembers, { contentIds, limit })).map(({ id }) => id)
}
