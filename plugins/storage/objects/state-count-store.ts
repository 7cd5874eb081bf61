import type { Reader } from '#kernel'

/** Contents of one bucket in one state of their copies. */
export interface ContentGroup {
  readonly bucketId: number
  readonly storeState: string
}

/** The next group after `last` whose contents are not all stored. */
export function nextUnsettledGroup(reader: Reader, last: ContentGroup | undefined): ContentGroup | undefined {
  return reader.get<ContentGroup>(
    `select bucket_id as bucketId, store_state as storeState from contents
     where store_state <> 'stored' and (bucket_id, store_state) > (?, ?) order by bucket_id, store_state limit 1`,
    last?.bucketId ?? 0,
    last?.storeState ?? '',
  )
}

/** A content whose copies are not all stored. */
export interface UnsettledContent {
  readonly id: number
  /** Copies that are committed, and those that wait for the chain. */
  readonly committed: number
  readonly onChain: number
  /** Copies whose provider has the bytes, and that are not on their way to the chain yet. */
  readonly parked: number
  readonly isCached: number
  /** Keys whose current version has these bytes; null where there are too many versions to count along with others. */
  readonly current: number | null
}

/** Contents with more versions than this are counted one by one, in pages. */
const versionsAlongMax = 16

/** Contents of the group with greater ids than `afterId`. */
export function listUnsettled(
  reader: Reader,
  { bucketId, storeState }: ContentGroup,
  afterId: number,
  limit: number,
): readonly UnsettledContent[] {
  // The first condition repeats the index's own, without which SQLite would not use it.
  return reader.all<UnsettledContent>(
    `select c.id as id,
       (select count(*) from copies k where k.content_id = c.id and k.state = 'committed') as committed,
       (select count(*) from copies k where k.content_id = c.id and k.state in ('batched', 'unconfirmed', 'attention')) as onChain,
       (select count(*) from copies k where k.content_id = c.id and k.state = 'parked') as parked,
       exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present') as isCached,
       case when c.ref_count <= ${versionsAlongMax} then (
         select count(*) from object_versions v
         join object_heads h on h.bucket_id = v.bucket_id and h.key = v.key and h.rseq = v.rseq where v.content_id = c.id) end as current
     from contents c where c.store_state <> 'stored' and c.bucket_id = ? and c.store_state = ? and c.id > ? order by c.id limit ?`,
    bucketId,
    storeState,
    afterId,
    limit,
  )
}

export interface VersionPlace {
  readonly bucketId: number
  readonly key: string
  readonly rseq: number
}

/** Looks at up to `limit` versions of a content after `last`; the last of them, and how many of them are current. */
export function countCurrentVersions(
  reader: Reader,
  contentId: number,
  last: VersionPlace | undefined,
  limit: number,
): { readonly current: number; readonly last: VersionPlace | undefined } {
  const rows = reader.all<VersionPlace & { readonly isCurrent: number }>(
    `select v.bucket_id as bucketId, v.key as key, v.rseq as rseq,
       exists (select 1 from object_heads h where h.bucket_id = v.bucket_id and h.key = v.key and h.rseq = v.rseq) as isCurrent
     from object_versions v where v.content_id = ? and (v.bucket_id, v.key, v.rseq) > (?, ?, ?)
     order by v.bucket_id, v.key, v.rseq limit ?`,
    contentId,
    last?.bucketId ?? 0,
    last?.key ?? '',
    last?.rseq ?? 0,
    limit,
  )
  return { current: rows.filter(({ isCurrent }) => isCurrent === 1).length, last: rows.at(-1) }
}

/** Keys whose current version has bytes. */
export function sumLiveObjects(reader: Reader): number {
  return reader.get<{ n: number }>('select coalesce(sum(live_objects), 0) as n from bucket_stats')?.n ?? 0
}
