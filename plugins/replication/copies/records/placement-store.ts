import { type Expression, type QueryCreator, sql } from 'kysely'
import type { Params, Reader } from '#kernel'
import type { DataSetRecord, Placement } from '../../contract.ts'
import { statesWithBytes } from '../../states/tables/copy-transitions-policy.ts'
import { type DataSetState, statesThatMayServe } from '../../states/tables/data-set-transitions-policy.ts'
import { type ReplicationTables, statement } from '../../tables.ts'
import { copiedId, copyCounts, isCached, packing } from './content-columns.ts'
import type { LocatedContent } from './object-state-policy.ts'

export interface ContentRow extends LocatedContent {
  readonly size: number
  readonly targetCopies: number
  /** Number of parts; 0: not a composite. */
  readonly partCount: number
  readonly pieceCid: string | null
  readonly updatedAtMs: number
}

export const selectContents = (db: QueryCreator<ReplicationTables>) =>
  db
    .selectFrom('contents as c')
    .select([
      'c.id as contentId',
      'c.size',
      'c.target_copies as targetCopies',
      'c.store_state as storeState',
      'c.part_count as partCount',
      'c.updated_at as updatedAtMs',
    ])
    .select((content) => [
      content
        .selectFrom('pieces as p')
        .select('p.piece_cid')
        .where('p.content_id', '=', copiedId(content))
        .where('p.part_no', '=', 0)
        .as('pieceCid'),
      ...packing(content),
      ...copyCounts(content),
      isCached(content),
    ])

const findById = statement((db, { contentId }: Params<{ contentId: number }>) => selectContents(db).where('c.id', '=', contentId))

const findByIds = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  selectContents(db).where('c.id', 'in', contentIds),
)

const findUnsettled = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  selectContents(db).where('c.id', 'in', contentIds).where('c.store_state', '<>', 'stored'),
)

const findVersion = statement((db, { bucketId, versionId }: Params<{ bucketId: number; versionId: string }>) =>
  db
    .selectFrom('object_versions')
    .select(['content_id as contentId', 'created_at as createdAtMs'])
    .where('version_id', '=', versionId)
    .where('bucket_id', '=', bucketId),
)

const versions = (db: QueryCreator<ReplicationTables>) =>
  db
    .selectFrom('object_versions as v')
    .innerJoin('buckets as b', 'b.id', 'v.bucket_id')
    .select(['v.version_id as versionId', 'v.key', 'b.name as bucketName'])
    .limit(1)

/** A version of a composite with this part. */
const findAnyWhole = statement((db, { contentId }: Params<{ contentId: number }>) =>
  versions(db)
    .innerJoin('content_parts as p', 'p.content_id', 'v.content_id')
    .where('p.part_content_id', '=', contentId)
    .orderBy('p.content_id')
    .orderBy('v.key')
    .orderBy('v.rseq'),
)

const findAnyVersion = statement((db, { contentId }: Params<{ contentId: number }>) =>
  versions(db).where('v.content_id', '=', contentId).orderBy('v.bucket_id').orderBy('v.key').orderBy('v.rseq'),
)

/**
 * Versions of composite contents with a committed part on data set `d`. The totals of a data set count the versions of the contents on it,
 * and a composite is on no data set itself. Composites are few, because they are larger than a piece.
 */
const versionsOfComposites = () => [
  sumOfComposites('ref_count').as('compositeVersions'),
  sumOfComposites('current_count').as('compositeCurrent'),
]
const sumOfComposites = (count: string) =>
  sql<number>`(select cast(coalesce(sum(c.${sql.ref(count)}), 0) as bigint) from contents c where c.bucket_id = d.bucket_id and c.part_count > 0
    and exists (select 1 from content_parts p join copies k on k.content_id = p.part_content_id
      where p.content_id = c.id and k.data_set_id = d.id and k.state = 'committed'))`

/** Versions of members of packs on data set `d`. Packs are few beside the copies of a data set. */
const versionsOfPacks = () => [sumOfPacks('versions').as('packedVersions'), sumOfPacks('current_versions').as('packedCurrent')]
const sumOfPacks = (count: string) =>
  sql<number>`(select cast(coalesce(sum(w.${sql.ref(count)}), 0) as bigint) from packs w where w.bucket_id = d.bucket_id
    and exists (select 1 from copies k where k.content_id = w.content_id and k.data_set_id = d.id and k.state = 'committed'))`

const findDataSets = statement((db, { bucketIds }: Params<{ bucketIds: readonly number[] }>) =>
  db
    .selectFrom('data_sets as d')
    .innerJoin('data_set_totals as t', 't.data_set_id', 'd.id')
    .select(['d.id', 'd.bucket_id as bucketId', 'd.slot as copyIndex', 'd.generation', 'd.provider_id as providerId', 'd.state'])
    .select(['d.service_url as serviceUrl', 'd.chain_id as dataSetId', 'd.client_data_set_id as clientDataSetId'])
    .select(['t.committed_copies as committedCopies', 't.committed_bytes as physicalBytes', 't.referenced_versions as referencedVersions'])
    .select(['t.current_versions as currentVersions', 'd.created_at as createdAtMs', 'd.updated_at as updatedAtMs'])
    .select(['d.chosen_reason as chosenReason', 'd.chosen_detail as chosenDetail'])
    .select(versionsOfComposites)
    .select(versionsOfPacks)
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('replica_slots as s')
          .select('s.slot')
          .whereRef('s.bucket_id', '=', 'd.bucket_id')
          .whereRef('s.slot', '=', 'd.slot')
          .whereRef('s.current_data_set_id', '=', 'd.id'),
      ).as('isCurrent'),
    )
    .where('d.bucket_id', 'in', bucketIds)
    .orderBy('d.bucket_id')
    .orderBy('d.slot')
    .orderBy('d.generation'),
)

const countStates = statement((db) =>
  db
    .selectFrom('data_sets')
    .select(({ fn }) => ['state', fn.countAll<number>().as('n')])
    .groupBy('state'),
)

const countAttention = statement((db) =>
  db
    .selectFrom('copies')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('state', '=', 'attention'),
)

const copiesOn = (db: QueryCreator<ReplicationTables>, dataSetIds: Expression<number>) =>
  db.selectFrom('copies as k').where('k.state', '=', 'committed').where('k.data_set_id', 'in', dataSetIds)

const sumVersions = statement((db, { dataSetIds }: Params<{ dataSetIds: readonly number[] }>) =>
  db
    .selectFrom('contents as c')
    .select(({ fn }) => fn.sum<number | null>('c.ref_count').as('n'))
    .where(
      'c.id',
      'in',
      copiesOn(db, dataSetIds)
        .select('k.content_id as id')
        .union(copiesOn(db, dataSetIds).innerJoin('pack_members as m', 'm.pack_id', 'k.content_id').select('m.content_id as id'))
        .union(copiesOn(db, dataSetIds).innerJoin('content_parts as p', 'p.part_content_id', 'k.content_id').select('p.content_id as id')),
    ),
)

const findReadable = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('data_sets as d', 'd.id', 'c.data_set_id')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .select(['c.id as copyId', 'd.service_url as serviceUrl', 'p.piece_cid as pieceCid'])
    .where('c.content_id', '=', contentId)
    .where('c.state', 'in', [...statesWithBytes])
    .where('d.state', 'in', statesThatMayServe)
    .where('p.piece_cid', 'is not', null)
    .orderBy((copy) => copy('c.state', '=', 'committed'), 'desc')
    .orderBy('c.slot')
    .$narrowType<{ pieceCid: string }>(),
)

const findPlace = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db.selectFrom('pack_members').select(['pack_id as id', 'offset_bytes as offset', 'length']).where('content_id', '=', contentId),
)

const findSha256 = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db.selectFrom('contents').select('sha256').where('id', '=', contentId),
)

/** The content of a version; `contentId` null for a delete marker; undefined when the bucket has no such version. */
export async function findVersionContent(
  reader: Reader,
  bucketId: number,
  versionId: string,
): Promise<{ readonly contentId: number | null; readonly createdAtMs: number } | undefined> {
  return reader.get(findVersion, { bucketId, versionId })
}

interface NamedVersion {
  readonly versionId: string
  readonly key: string
  readonly bucketName: string
}

/** One version of the content: the newest of the first key. */
export const findVersionOfContent = (reader: Reader, contentId: number): Promise<NamedVersion | undefined> =>
  reader.get(findAnyVersion, { contentId })

/** One version of a composite that the content is a part of. */
export const findVersionOfWhole = (reader: Reader, contentId: number): Promise<NamedVersion | undefined> =>
  reader.get(findAnyWhole, { contentId })

export async function findContent(reader: Reader, contentId: number): Promise<ContentRow | undefined> {
  const row = await reader.get(findById, { contentId })
  return row && toContent(row)
}

/** Where the bytes of a member are in its pack. */
export const findPackPlace = (reader: Reader, contentId: number): Promise<Placement['pack']> => reader.get(findPlace, { contentId })

/** Returns them in no particular order; deleted contents are left out. */
export async function findContents(reader: Reader, contentIds: readonly number[]): Promise<ContentRow[]> {
  return (await reader.all(findByIds, { contentIds })).map(toContent)
}

/** Returns those that have not all their copies. */
export async function findUnsettledContents(reader: Reader, contentIds: readonly number[]): Promise<ContentRow[]> {
  return (await reader.all(findUnsettled, { contentIds })).map(toContent)
}

/** An empty content needs no copies and no cache. */
export const toContent = <R extends { readonly size: number; readonly isCached: unknown; readonly isWaiting: unknown }>(row: R) => ({
  ...row,
  isWaiting: row.isWaiting === 1,
  isCached: row.isCached === 1 || row.size === 0,
})

/** Sorted by bucket, slot and generation. */
export async function listDataSetRecords(reader: Reader, bucketIds: readonly number[]): Promise<readonly DataSetRecord[]> {
  const rows = await reader.all(findDataSets, { bucketIds })
  return rows.map(({ state, isCurrent, compositeVersions, compositeCurrent, packedVersions, packedCurrent, ...row }) => ({
    ...row,
    referencedVersions: row.referencedVersions + compositeVersions + packedVersions,
    currentVersions: row.currentVersions + compositeCurrent + packedCurrent,
    isCurrent: isCurrent === 1,
    status: dataSetStatus(state),
  }))
}

/** Counts the data sets of all buckets by state. */
export async function countDataSetStates(reader: Reader): Promise<ReadonlyMap<DataSetRecord['status'], number>> {
  const counts = new Map<DataSetRecord['status'], number>()
  for (const { state, n } of await reader.all(countStates)) {
    const status = dataSetStatus(state)
    counts.set(status, (counts.get(status) ?? 0) + n)
  }
  return counts
}

/** Copies whose confirmation needs an operator. */
export const countCopiesInAttention = async (reader: Reader): Promise<number> => (await reader.get(countAttention))?.n ?? 0

/** Counted one by one only where every data set has fewer than `max`, so that the number of copies does not matter. */
export async function countVersionsOn(reader: Reader, dataSets: readonly DataSetRecord[], max: number): Promise<number> {
  const counts = dataSets.map(({ referencedVersions }) => referencedVersions).filter((count) => count > 0)
  const most = Math.max(0, ...counts)
  if (most >= max || counts.length <= 1) return Math.min(most, max)
  const row = await reader.get(sumVersions, { dataSetIds: dataSets.map(({ id }) => id) })
  return Math.min(row?.n ?? 0, max)
}

export function dataSetStatus(state: DataSetState): DataSetRecord['status'] {
  const names = {
    planned: 'pending',
    creating: 'creating',
    ready: 'ready',
    write_blocked: 'draining',
    retiring: 'draining',
    retired: 'retired',
    abandoning: 'draining',
    abandoned: 'retired',
    lost: 'unavailable',
  } as const
  return names[state]
}

export interface ReadableCopy {
  readonly copyId: number
  readonly serviceUrl: string
  readonly pieceCid: string
}

/** Copies that can serve the content, committed ones first. */
export async function readableCopies(reader: Reader, contentId: number): Promise<readonly ReadableCopy[]> {
  return reader.all(findReadable, { contentId })
}

export async function sha256Of(reader: Reader, contentId: number): Promise<string | null> {
  return (await reader.get(findSha256, { contentId }))?.sha256 ?? null
}
