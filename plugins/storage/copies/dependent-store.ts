import type { Reader } from '#kernel'
import type { Cursor } from '../catalog/history-store.ts'
import { StoredVersion, type VersionRow } from '../catalog/stored-version.ts'
import { versionColumns } from '../catalog/version-store.ts'
import type { DependentVersion } from '../contract.ts'

export interface DependentRange {
  readonly bucketId: number
  readonly dataSetIds: readonly number[]
  /** Only this key, or the keys from `low` on and below `high`. */
  readonly low: string
  readonly high: string
  readonly after: Cursor
  readonly limit: number
}

const committedOn = `from copies k join json_each(?) j on j.value = k.data_set_id where k.content_id = v.content_id and k.state = 'committed'`

/** Versions with a committed copy on one of the data sets, in order of key and then newest first. */
export function listDependentVersions(read: Reader, range: DependentRange): DependentVersion[] {
  const { bucketId, dataSetIds, low, high, after, limit } = range
  const ids = JSON.stringify(dataSetIds)
  const rows = read.all<VersionRow & { readonly is_current: number; readonly on_sets: string; readonly copies: number }>(
    `select ${versionColumns}, (select json_group_array(distinct k.data_set_id) ${committedOn}) as on_sets,
       (select count(*) from copies k join data_sets d on d.id = k.data_set_id
         where k.content_id = v.content_id and k.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring')
           and k.data_set_id not in (select value from json_each(?))) as copies,
       exists (select 1 from object_heads h where h.bucket_id = v.bucket_id and h.key = v.key and h.version_id = v.version_id) as is_current
     from object_versions v
     where v.bucket_id = ? and (v.key, v.rseq) > (?, ?) and v.key >= ? and v.key < ? and v.is_delete_marker = 0 and exists (select 1 ${committedOn})
     order by v.key, v.rseq limit ?`,
    ids,
    ids,
    bucketId,
    after.key,
    after.rseq,
    low,
    high,
    ids,
    limit,
  )
  return rows.map((row) => ({
    version: new StoredVersion(row, row.is_current === 1),
    dataSetIds: JSON.parse(row.on_sets) as number[],
    otherReadableCopies: row.copies,
  }))
}
