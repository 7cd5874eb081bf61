import type { Reader } from '#kernel'

/** All contents of one bucket with one `store_state`. */
export interface ContentGroup {
  readonly bucketId: number
  readonly storeState: string
}

/** The next group after `last` whose state is not `stored`. */
export async function nextUnsettledGroup(reader: Reader, last: ContentGroup | undefined): Promise<ContentGroup | undefined> {
  return reader.get<ContentGroup>(
    `select bucket_id as bucketId, store_state as storeState from contents
     where store_state <> 'stored' and (bucket_id, store_state) > (?, ?) order by bucket_id, store_state limit 1`,
    last?.bucketId ?? 0,
    last?.storeState ?? '',
  )
}

/** A content that is not `stored`. */
export interface UnsettledContent {
  readonly id: number
  /** Number of copies that are committed. */
  readonly committed: number
  /** Number of copies that are in a batch and not confirmed on chain. */
  readonly onChain: number
  /** Number of copies whose provider has the bytes, and that are in no batch yet. */
  readonly parked: number
  readonly isCached: number
  /** Number of keys whose current version has these bytes; null for contents with too many versions to count in this query. */
  readonly current: number | null
}

/** The versions of contents with more than this are counted separately, in pages. */
const versionsInlineMax = 16

/** Contents of the group with ids above `afterId`. */
export async function listUnsettled(
  reader: Reader,
  { bucketId, storeState }: ContentGroup,
  afterId: number,
  limit: number,
): Promise<readonly UnsettledContent[]> {
  // The first condition repeats that of the partial index, otherwise SQLite would not use it.
  return reader.all<UnsettledContent>(
    `select c.id as id,
       (select count(*) from copies k where k.content_id = c.id and k.state = 'committed') as committed,
       (select count(*) from copies k where k.content_id = c.id and k.state in ('batched', 'unconfirmed', 'attention')) as onChain,
       (select count(*) from copies k where k.content_id = c.id and k.state = 'parked') as parked,
       exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present') as isCached,
       case when c.ref_count <= ${versionsInlineMax} then (
         select count(*) from object_versions v
         join object_heads h on h.bucket_id = v.bucket_id and h.key = v.key and h.rseq = v.rseq where v.content_id = c.id) end as current
     from contents c where c.store_state <> 'stored' and c.bucket_id = ? and c.store_state = ? and c.id > ? order by c.id limit ?`,
    bucketId,
    storeState,
    afterId,
    limit,
  )
}

interface VersionPlace {
  readonly bucketId: number
  readonly key: string
  readonly rseq: number
}

/** Reads up to `limit` versions of a content after `last`. Returns the last of them and how many are current. */
export async function countCurrentVersions(
  reader: Reader,
  contentId: number,
  last: VersionPlace | undefined,
  limit: number,
): Promise<{ readonly current: number; readonly last: VersionPlace | undefined }> {
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

/** Number of keys whose current version is not a delete marker. */
export async function sumLiveObjects(reader: Reader): Promise<number> {
  return reader.get<{ n: number }>('select coalesce(sum(live_objects), 0) as n from bucket_stats')?.n ?? 0
}
