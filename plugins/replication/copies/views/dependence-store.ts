import { type Reader, sqlStatement } from '#kernel'
import { pieceBytesMin } from '#plugins/providers'
import { statesWithBytes } from '../../states/tables/copy-transitions-policy.ts'
import { statesThatMayServe, statesThatServe } from '../../states/tables/data-set-transitions-policy.ts'
import { listOf } from '../../states/tables/transition.ts'
import type { DependentContent, MemberSum } from './count-dependence-policy.ts'

/** A data set at the provider, with the minimum of its bucket. */
export interface SetOfProvider {
  readonly dataSetId: number
  readonly slot: number
  readonly bucketId: number
  readonly bucketName: string
  readonly minimum: number
}

const findSets = sqlStatement<{ providerId: string }, SetOfProvider>(
  `select d.id as "dataSetId", d.slot, b.id as "bucketId", b.name as "bucketName", b.minimum_durable_copies as minimum
   from data_sets d join buckets b on b.id = d.bucket_id
   where d.provider_id = :providerId and d.state in ${listOf(statesThatServe)} and b.deleted_at is null order by b.name, d.id`,
)

interface ContentRow extends Omit<DependentContent, 'leaves' | 'isCached' | 'isHeld' | 'cached'> {
  readonly isPack: number
  readonly isCached: number
  readonly isHeld: number
  readonly leaves: number
}

const others = 'from copies o join data_sets f on f.id = o.data_set_id where o.content_id = c.id and f.provider_id <> :providerId'
const isNotDenied = `not exists (select 1 from copy_doubts w where w.copy_id = o.id and w.denied_at is not null)
  and not exists (select 1 from data_set_standings s where s.data_set_id = f.id and s.reason is not null)`

/** Counts as the holdings of contents do (I-19), without the provider. The leaves are those of a piece of the content. */
const findPage = sqlStatement<{ providerId: string; dataSetId: number; after: number; limit: number }, ContentRow>(
  `select c.id, coalesce(k.members, 1) as contents, coalesce(k.living_bytes, c.size) as size, coalesce(k.versions, c.ref_count) as versions,
     c.target_copies as target, case when k.content_id is null then 0 else 1 end as "isPack",
     ((case when c.size < ${pieceBytesMin} then ${pieceBytesMin} else c.size end) * 4 + 126) / 127 as leaves,
     (select count(distinct o.slot) ${others} and o.state = 'committed' and f.state in ${listOf(statesThatServe)} and ${isNotDenied}) as durable,
     (select count(*) ${others} and o.state in ${listOf(statesWithBytes)} and f.state in ${listOf(statesThatMayServe)} and ${isNotDenied}) as readable,
     case when exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present') then 1 else 0 end as "isCached",
     case when c.hold_count > 0 then 1 else 0 end as "isHeld"
   from (select k.content_id from copies k where k.data_set_id = :dataSetId and k.state = 'committed' and k.content_id > :after
     order by k.content_id limit :limit) p join contents c on c.id = p.content_id left join packs k on k.content_id = c.id order by c.id`,
)

/** Sums the members that are cached by themselves. By hand, for the sum over a join that is grouped by another table. */
const findCached = sqlStatement<{ packIds: readonly number[] }, MemberSum & { packId: number }>(
  `select m.pack_id as "packId", count(*) as contents, cast(sum(c.ref_count) as bigint) as versions, cast(sum(c.size) as bigint) as size
   from pack_members m join contents c on c.id = m.content_id join cache_entries e on e.content_id = m.content_id and e.state = 'present'
   where m.pack_id in :packIds group by m.pack_id`,
)

const findComposites = sqlStatement<{ ids: readonly number[] }, { part: number; id: number; versions: number }>(
  `select p.part_content_id as part, c.id, c.ref_count as versions from content_parts p join contents c on c.id = p.content_id
   where p.part_content_id in :ids and c.state = 'live'`,
)

/** The data sets of the provider that serve pieces, of buckets that are not deleted, by name of the bucket. */
export const setsOfProvider = (read: Reader, providerId: string): Promise<readonly SetOfProvider[]> => read.all(findSets, { providerId })

/** The next contents with a committed copy on the data set, by id. */
export async function pageOfDependent(
  read: Reader,
  page: { readonly providerId: string; readonly dataSetId: number; readonly after: number; readonly limit: number },
): Promise<readonly DependentContent[]> {
  const rows = await read.all(findPage, page)
  const packIds = rows.flatMap(({ id, isPack, isCached, readable }) => (isPack === 1 && isCached === 0 && readable === 0 ? [id] : []))
  const members = packIds.length === 0 ? [] : await read.all(findCached, { packIds })
  const cached = new Map(members.map(({ packId, contents, ...sum }) => [packId, { ...sum, contents: Number(contents) }]))
  return rows.map(({ isPack: _, isCached, isHeld, leaves, ...row }) => {
    const own = cached.get(row.id)
    return { ...row, leaves: BigInt(leaves), isCached: isCached === 1, isHeld: isHeld === 1, ...(own && { cached: own }) }
  })
}

/** The composites with one of these parts. */
export const compositesOf = (read: Reader, ids: readonly number[]) => read.all(findComposites, { ids })
