import type { Reader } from '#kernel'
import type { VersionRange } from '#plugins/storage'
import type { DependentVersion } from '../contract.ts'

interface DependentRange extends VersionRange {
  readonly bucketId: number
  readonly dataSetIds: readonly number[]
  readonly limit: number
}

type DependentRow = Omit<DependentVersion, 'isCurrent' | 'dataSetIds'> & { readonly isCurrent: number; readonly onSets: string }

const committedOn = `from copies k join json_each(?) j on j.value = k.data_set_id where k.content_id = v.content_id and k.state = 'committed'`

const dependentSql = (from: string) =>
  `select v.content_id as "contentId", v.key, v.version_id as "versionId", v.size, v.etag, v.content_type as "contentType",
     v.created_at as "createdAtMs", (select json_group_array(distinct k.data_set_id) ${committedOn}) as "onSets",
     (select count(*) from copies k join data_sets d on d.id = k.data_set_id
       where k.content_id = v.content_id and k.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring')
         and k.data_set_id not in (select value from json_each(?))) as "otherReadableCopies",
     exists (select 1 from object_heads h where h.bucket_id = v.bucket_id and h.key = v.key and h.version_id = v.version_id) as "isCurrent"
   from ${from} and v.bucket_id = ? and (v.key, v.rseq) > (?, ?) and v.key < ? and v.is_delete_marker = 0 order by v.key, v.rseq limit ?`
const dependent = {
  /** Scans versions in order: fast when most of them have a copy there. */
  ofMany: dependentSql(`object_versions v where exists (select 1 ${committedOn})`),
  /** Scans copies and sorts their versions: fast when there are few. */
  ofFew: dependentSql(
    `(select distinct c.content_id from copies c where c.state = 'committed' and c.data_set_id in (select value from json_each(?))) of_set
     cross join object_versions v where v.content_id = of_set.content_id`,
  ),
}
/** Below this number of versions, `ofFew` is used. */
const fewVersions = 2000

/** Versions with a committed copy on one of the data sets, sorted by key, then newest first. */
export async function listDependentVersions(read: Reader, range: DependentRange): Promise<DependentVersion[]> {
  const { bucketId, dataSetIds, after, high, limit } = range
  const ids = JSON.stringify(dataSetIds)
  const sql = (await hasFewVersions(read, ids)) ? dependent.ofFew : dependent.ofMany
  const rows = read.all<DependentRow>(sql, ids, ids, ids, bucketId, after.key, after.rseq, high, limit)
  return rows.map(({ onSets, isCurrent, ...row }) => ({
    ...row,
    isCurrent: isCurrent === 1,
    dataSetIds: JSON.parse(onSets) as number[],
  }))
}

async function hasFewVersions(read: Reader, dataSetIds: string): Promise<boolean> {
  const row = read.get<{ n: number }>(
    `select count(*) as n from (select 1 from json_each(?) j cross join copies c on c.data_set_id = j.value
       join object_versions v on v.content_id = c.content_id where c.state = 'committed' limit ${fewVersions})`,
    dataSetIds,
  )
  return (row?.n ?? 0) < fewVersions
}
