import { sql } from 'kysely'
import { type Params, type Reader, sqlStatement } from '#kernel'
import { type ContentRow, selectContents, toContent } from '../copies/records/placement-store.ts'
import type { UnsettledPlace } from '../stuck/stuck-contents-store.ts'
import { statement } from '../tables.ts'

type Unsettled = ContentRow & Pick<UnsettledPlace, 'bucketId'> & { readonly currentCount: number }

const findPage = statement((db, { bucketId, storeState, id, limit }: Params<UnsettledPlace & { limit: number }>) =>
  selectContents(db)
    .select(['c.bucket_id as bucketId', 'c.current_count as currentCount'])
    // The condition of the partial index.
    .where('c.store_state', '<>', 'stored')
    .where(sql<boolean>`(c.bucket_id, c.store_state, c.id) > (${bucketId}, ${storeState}, ${id})`)
    .orderBy('c.bucket_id')
    .orderBy('c.store_state')
    .orderBy('c.id')
    .limit(limit),
)

/** Contents that are not stored, after a place of their index. */
export async function pageOfUnsettled(read: Reader, after: UnsettledPlace, limit: number): Promise<readonly Unsettled[]> {
  return (await read.all(findPage, { bucketId: after.bucketId, storeState: after.storeState, id: after.id, limit })).map(toContent)
}

const findCurrent = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('object_versions as v')
    .innerJoin('object_heads as h', (join) =>
      join.onRef('h.bucket_id', '=', 'v.bucket_id').onRef('h.key', '=', 'v.key').onRef('h.rseq', '=', 'v.rseq'),
    )
    .innerJoin('buckets as b', 'b.id', 'v.bucket_id')
    .select(['b.name as bucket', 'v.key', 'v.version_id as versionId'])
    .where('v.content_id', '=', contentId)
    .orderBy('v.key')
    .limit(1),
)

/** A current version with these bytes. */
export const currentVersionOf = (
  read: Reader,
  contentId: number,
): Promise<{ readonly bucket: string; readonly key: string; readonly versionId: string } | undefined> =>
  read.get(findCurrent, { contentId })

/** Written by hand: the table is the kernel's. The failed task of a content counts for the provider of its first failed copy. */
const countFailed = sqlStatement<{ limit: number }, { providerId: string | null; n: number }>(
  `select f.provider as "providerId", count(*) as n from (
     select case when t.subject_type = 'storage_data_set'
       then (select d.provider_id from data_sets d where d.id = case when t.subject_type = 'storage_data_set' then cast(t.subject_key as bigint) end)
       else (select d.provider_id from copies k join data_sets d on d.id = k.data_set_id where k.last_error is not null
         and k.content_id = case when t.subject_type = 'storage_content' then cast(t.subject_key as bigint) end order by k.id limit 1) end as provider
     from tasks t where t.status = 'failed' and t.acknowledged_at is null and t.subject_type in ('storage_data_set', 'storage_content') limit :limit) f
   group by f.provider`,
)

/** Failed tasks that were not dismissed, by provider; at most `limit` are counted. */
export async function failedTasksByProvider(read: Reader, limit: number): Promise<ReadonlyMap<string | null, number>> {
  return new Map((await read.all(countFailed, { limit })).map(({ providerId, n }) => [providerId, Number(n)]))
}

const findOfProvider = sqlStatement<{ providerId: string; ids: readonly number[] }, { id: number }>(
  `select distinct k.content_id as id from copies k join data_sets d on d.id = k.data_set_id
   where k.content_id in :ids and d.provider_id = :providerId and k.state not in ('committed', 'removed')`,
)
const findSetsOfProvider = sqlStatement<{ providerId: string; ids: readonly number[] }, { id: number }>(
  'select d.id from data_sets d where d.id in :ids and d.provider_id = :providerId',
)

/** Returns those of the contents that lack their copy at the provider. */
export async function contentsLackingAt(read: Reader, providerId: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return ids.length === 0 ? new Set() : new Set((await read.all(findOfProvider, { providerId, ids })).map(({ id }) => id))
}

export async function dataSetsAt(read: Reader, providerId: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return ids.length === 0 ? new Set() : new Set((await read.all(findSetsOfProvider, { providerId, ids })).map(({ id }) => id))
}

const findCurrentSets = sqlStatement<{ providerId: string; limit: number }, { id: number; bucket: string }>(
  `select d.id, b.name as bucket from data_sets d join replica_slots s on s.current_data_set_id = d.id join buckets b on b.id = d.bucket_id
   where d.provider_id = :providerId and b.deleted_at is null order by d.id limit :limit`,
)

/** Data sets of the provider that get copies. */
export const currentSetsAt = (read: Reader, providerId: string, limit: number) => read.all(findCurrentSets, { providerId, limit })
