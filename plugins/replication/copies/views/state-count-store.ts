import { sql } from 'kysely'
import type { Params, Reader } from '#kernel'
import { statement } from '../../tables.ts'
import { copyCounts, isCached, packing } from '../records/content-columns.ts'
import type { LocatedContent } from '../records/object-state-policy.ts'

/** All contents of one bucket with one `store_state`. */
export interface ContentGroup {
  readonly bucketId: number
  readonly storeState: string
}

const nextGroup = statement((db, { bucketId, storeState }: Params<ContentGroup>) =>
  db
    .selectFrom('contents')
    .select(['bucket_id as bucketId', 'store_state as storeState'])
    .where('store_state', '<>', 'stored')
    .where(sql<boolean>`(bucket_id, store_state) > (${bucketId}, ${storeState})`)
    .orderBy('bucket_id')
    .orderBy('store_state')
    .limit(1),
)

/** The next group after `last` whose state is not `stored`. */
export async function nextUnsettledGroup(reader: Reader, last: ContentGroup | undefined): Promise<ContentGroup | undefined> {
  return reader.get(nextGroup, { bucketId: last?.bucketId ?? 0, storeState: last?.storeState ?? '' })
}

/** A content that is not `stored`. */
export interface UnsettledContent extends LocatedContent {
  /** Number of parts; 0: not a composite. */
  readonly partCount: number
  /** Number of keys whose current version has these bytes; null for contents with too many versions to count in this query. */
  readonly current: number | null
}

/** The versions of contents with more than this are counted separately, in pages. */
const versionsInlineMax = 16

interface GroupPage extends ContentGroup {
  readonly afterId: number
  readonly limit: number
}

const findUnsettled = statement((db, { bucketId, storeState, afterId, limit }: Params<GroupPage>) =>
  db
    .selectFrom('contents as c')
    .select((content) => [
      'c.id as contentId',
      'c.store_state as storeState',
      'c.part_count as partCount',
      ...packing(content),
      ...copyCounts(content),
      isCached(content),
    ])
    .select((content) =>
      content
        .case()
        .when('c.ref_count', '<=', versionsInlineMax)
        .then(
          content
            .selectFrom('object_versions as v')
            .innerJoin('object_heads as h', (join) =>
              join.onRef('h.bucket_id', '=', 'v.bucket_id').onRef('h.key', '=', 'v.key').onRef('h.rseq', '=', 'v.rseq'),
            )
            .select(({ fn }) => fn.countAll<number>().as('n'))
            .whereRef('v.content_id', '=', 'c.id'),
        )
        .end()
        .as('current'),
    )
    // The condition of the partial index: without it, no engine would use the index.
    .where('c.store_state', '<>', 'stored')
    .where('c.bucket_id', '=', bucketId)
    .where(sql<string>`c.store_state`, '=', storeState)
    .where('c.id', '>', afterId)
    .orderBy('c.id')
    .limit(limit),
)

/** Contents of the group with ids above `afterId`. */
export async function listUnsettled(
  reader: Reader,
  group: ContentGroup,
  afterId: number,
  limit: number,
): Promise<readonly UnsettledContent[]> {
  const rows = await reader.all(findUnsettled, { ...group, afterId, limit })
  return rows.map((row) => ({ ...row, isCached: row.isCached === 1, isWaiting: row.isWaiting === 1 }))
}

interface VersionPlace {
  readonly bucketId: number
  readonly key: string
  readonly rseq: number
}

const findVersions = statement(
  (db, { contentId, bucketId, key, rseq, limit }: Params<VersionPlace & { contentId: number; limit: number }>) =>
    db
      .selectFrom('object_versions as v')
      .select(['v.bucket_id as bucketId', 'v.key', 'v.rseq'])
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('object_heads as h')
            .select('h.key')
            .whereRef('h.bucket_id', '=', 'v.bucket_id')
            .whereRef('h.key', '=', 'v.key')
            .whereRef('h.rseq', '=', 'v.rseq'),
        ).as('isCurrent'),
      )
      .where('v.content_id', '=', contentId)
      .where(sql<boolean>`(v.bucket_id, v.key, v.rseq) > (${bucketId}, ${key}, ${rseq})`)
      .orderBy('v.bucket_id')
      .orderBy('v.key')
      .orderBy('v.rseq')
      .limit(limit),
)

/** Reads up to `limit` versions of a content after `last`. Returns the last of them and how many are current. */
export async function countCurrentVersions(
  reader: Reader,
  contentId: number,
  last: VersionPlace = { bucketId: 0, key: '', rseq: 0 },
  limit: number,
): Promise<{ readonly current: number; readonly last: VersionPlace | undefined }> {
  const rows = await reader.all(findVersions, { contentId, ...last, limit })
  return { current: rows.filter(({ isCurrent }) => isCurrent === 1).length, last: rows.at(-1) }
}

const sumObjects = statement((db) => db.selectFrom('bucket_stats').select(({ fn }) => fn.sum<number | null>('live_objects').as('n')))

/** Number of keys whose current version is not a delete marker. */
export async function sumLiveObjects(reader: Reader): Promise<number> {
  return (await reader.get(sumObjects))?.n ?? 0
}
