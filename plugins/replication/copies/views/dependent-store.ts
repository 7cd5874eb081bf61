import { type Reader, sqlStatement } from '#kernel'
import type { VersionRange } from '#plugins/storage'
import type { DependentVersion } from '../../contract.ts'
import { statesThatServe } from '../../states/tables/data-set-transitions-policy.ts'
import { listOf } from '../../states/tables/transition.ts'

interface DependentRange extends VersionRange {
  readonly bucketId: number
  readonly dataSetIds: readonly number[]
  readonly limit: number
}

interface Found extends Omit<DependentVersion, 'isCurrent' | 'dataSetIds'> {
  readonly isCurrent: number
  /** Ids of data sets, separated by commas. */
  readonly onSets: string
}

type FindParams = Omit<DependentRange, 'after'> & VersionRange['after']

const isCommitted = `k.state = 'committed' and k.data_set_id in :dataSetIds`
/** The content of the version, or its pack. */
const copiedId = 'coalesce((select m.pack_id from pack_members m where m.content_id = v.content_id), v.content_id)'
/** Copies of the content of the version, or of the parts of a composite. */
const ownCopies = `from copies k where k.content_id = ${copiedId} and ${isCommitted}`
const partCopies = `from content_parts p join copies k on k.content_id = p.part_content_id where p.content_id = v.content_id and ${isCommitted}`

const countOthers = (content: string) => `(select count(*) from copies k join data_sets d on d.id = k.data_set_id
  where k.content_id = ${content} and k.state = 'committed' and d.state in ${listOf(statesThatServe)}
    and k.data_set_id not in :dataSetIds)`

const findDependent = (from: string) =>
  sqlStatement<FindParams, Found>(
    `select v.content_id as "contentId", v.key, v.version_id as "versionId", v.size, v.etag, v.content_type as "contentType",
       v.created_at as "createdAtMs", coalesce((select string_agg(cast(k.data_set_id as text), ',') ${ownCopies}),
         (select string_agg(cast(s.id as text), ',') from (select distinct k.data_set_id as id ${partCopies}) s)) as "onSets",
       coalesce((select min(${countOthers('p.part_content_id')}) from content_parts p where p.content_id = v.content_id
         and exists (select 1 from copies k where k.content_id = p.part_content_id and ${isCommitted})),
         ${countOthers(copiedId)}) as "otherReadableCopies",
       exists (select 1 from object_heads h where h.bucket_id = v.bucket_id and h.key = v.key and h.version_id = v.version_id) as "isCurrent"
     from ${from} and v.bucket_id = :bucketId and (v.key, v.rseq) > (:key, :rseq) and v.key < :high and v.is_delete_marker = 0
     order by v.key, v.rseq limit :limit`,
  )

/** Scans versions in order: fast when most of them have a copy there. By hand, like the next one, for its order of scans. */
const ofMany = findDependent(`object_versions v where (exists (select 1 ${ownCopies}) or exists (select 1 ${partCopies}))`)

/** Scans copies and sorts their versions: fast when there are few. */
const ofFew = findDependent(
  `(select k.content_id from copies k where ${isCommitted} union select p.content_id from copies k
     join content_parts p on p.part_content_id = k.content_id where ${isCommitted} union select m.content_id from copies k
     join pack_members m on m.pack_id = k.content_id where ${isCommitted}) of_set
   cross join object_versions v where v.content_id = of_set.content_id`,
)

/** Below this number of versions, `ofFew` is used. */
const fewVersions = 2000

/** Counted one by one only where the totals of every data set are low. */
const countVersions = sqlStatement<{ dataSetIds: readonly number[] }, { n: number }>(
  `select case when exists (select 1 from data_set_totals t where t.data_set_id in :dataSetIds and t.referenced_versions >= ${fewVersions})
     then ${fewVersions}
     else (select count(*) from (select 1 from copies c cross join object_versions v
       where c.data_set_id in :dataSetIds and c.state = 'committed' and v.content_id = c.content_id limit ${fewVersions}) versions)
       + (select coalesce(sum(w.versions), 0) from copies c join packs w on w.content_id = c.content_id
         where c.data_set_id in :dataSetIds and c.state = 'committed')
     end as n`,
)

/** Versions with a committed copy on one of the data sets, sorted by key, then newest first. */
export async function listDependentVersions(read: Reader, { after, ...range }: DependentRange): Promise<DependentVersion[]> {
  const { dataSetIds } = range
  const hasFew = ((await read.get(countVersions, { dataSetIds }))?.n ?? 0) < fewVersions
  const rows = await read.all(hasFew ? ofFew : ofMany, { ...range, ...after })
  return rows.map(({ onSets, isCurrent, ...row }) => ({
    ...row,
    isCurrent: isCurrent === 1,
    dataSetIds: [...new Set(onSets.split(',').map(Number))].sort((a, b) => a - b),
  }))
}
