/** Rules over keys, versions, contents and the cached bytes of contents: statements that find violating rows. */
import { sqlStatement } from '#kernel'
import type { RowRule, RuleRow } from '#kernel/system'
import { databaseEpoch } from '../catalog/cached/cache-bytes-store.ts'
import { wrongUsage } from './counts-store.ts'
import { fixNames } from './fix-names.ts'

export const find = (sql: string): RowRule['find'] => sqlStatement<{ limit: number }, RuleRow>(`${sql} limit :limit`)

export const restore = 'Stop svc and restore the database from a backup; report it with svc doctor --json'

const newest = 'select bucket_id, key, min(rseq) as rseq from object_versions group by bucket_id, key'

/** A content with its bucket and one of its keys, or of those of a composite with it. */
const content = `select c.id, b.name as bucket, coalesce((select min(v.key) from object_versions v where v.content_id = c.id),
  (select min(v.key) from content_parts p join object_versions v on v.content_id = p.content_id where p.part_content_id = c.id)) as key
  from contents c left join buckets b on b.id = c.bucket_id`

/** A referenced content that is neither a composite nor empty. */
const hasOwnBytes = 'c.ref_count + c.hold_count > 0 and c.part_count = 0 and c.size > 0'

export const objectRules: readonly RowRule[] = [
  {
    invariant: 'I-17',
    kind: 'object',
    violation: 'the key does not have exactly one of head and tombstone, equal to its newest version',
    repair: restore,
    find: find(`select v.version_id as id, b.name as bucket, v.key from (${newest}) n
      join object_versions v on v.bucket_id = n.bucket_id and v.key = n.key and v.rseq = n.rseq
      left join buckets b on b.id = v.bucket_id
      left join object_heads h on h.bucket_id = v.bucket_id and h.key = v.key
      left join object_tombstones t on t.bucket_id = v.bucket_id and t.key = v.key
      where case when v.is_delete_marker = 1
        then h.key is not null or t.rseq is distinct from v.rseq or t.marker_version_id is distinct from v.version_id
        else t.key is not null or h.rseq is distinct from v.rseq or h.version_id is distinct from v.version_id
          or h.content_id is distinct from v.content_id or h.size is distinct from v.size or h.etag is distinct from v.etag
          or h.last_modified is distinct from v.created_at or (h.checksum is null) <> (v.checksums is null) end`),
  },
  {
    invariant: 'I-17',
    kind: 'object',
    violation: 'a head or a tombstone has no version',
    repair: restore,
    find: find(`select x.key as id, b.name as bucket, x.key
      from (select bucket_id, key from object_heads union all select bucket_id, key from object_tombstones) x
      left join buckets b on b.id = x.bucket_id
      where not exists (select 1 from object_versions v where v.bucket_id = x.bucket_id and v.key = x.key)`),
  },
  {
    invariant: 'I-17',
    severity: 'warning',
    kind: 'object',
    violation: 'is_restorable of the tombstone is wrong',
    repair: 'Put and delete the object again; the deleted object is listed wrongly until then',
    find: find(`select t.marker_version_id as id, b.name as bucket, t.key from object_tombstones t left join buckets b on b.id = t.bucket_id
      where (t.is_restorable = 1) <> exists (
        select 1 from object_versions v where v.bucket_id = t.bucket_id and v.key = t.key and v.is_delete_marker = 0)`),
  },
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'ref_count is not the number of versions',
    repair: restore,
    find: find(`${content} where c.ref_count <> (select count(*) from object_versions v where v.content_id = c.id)`),
  },
  {
    invariant: 'I-18',
    kind: 'version',
    violation: 'the version has no content with its bucket and size',
    repair: restore,
    find: find(`select v.version_id as id, b.name as bucket, v.key from object_versions v left join buckets b on b.id = v.bucket_id
      left join contents c on c.id = v.content_id
      where v.is_delete_marker = 0 and (c.id is null or c.bucket_id <> v.bucket_id or c.size <> v.size)`),
  },
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'no version, composite or unfinished upload refers to the content, but its state is not deleting, or the reverse',
    repair: restore,
    find: find(`${content} where (c.ref_count + c.hold_count = 0) <> (c.state = 'deleting')`),
  },
]

export const bucketRules: readonly RowRule[] = [
  {
    invariant: 'I-36',
    kind: 'bucket',
    violation: 'a deleted bucket has versions, counters or its name',
    repair: restore,
    find: find(`select b.id, coalesce(b.deleted_name, b.name) as bucket from buckets b where (b.deleted_at is null) <> (b.deleted_name is null)
      or (b.deleted_at is not null and (exists (select 1 from bucket_stats s where s.bucket_id = b.id)
        or exists (select 1 from object_versions v where v.bucket_id = b.id) or b.name not like 'deleted/%'))`),
  },
]

export const countRules: readonly RowRule[] = [
  {
    kind: 'bucket',
    severity: 'warning',
    violation: 'bucket_stats differs from the rows',
    repair: 'Run svc doctor --fix, which counts again; until then the counts of the bucket are wrong',
    fix: fixNames.bucketCounts,
    find: find(`select x.bucket_id as id, b.name as bucket from (select s.*,
      (select count(*) from object_heads h where h.bucket_id = s.bucket_id) as heads,
      (select coalesce(sum(size), 0) from object_heads h where h.bucket_id = s.bucket_id) as head_bytes,
      (select count(*) from object_versions v where v.bucket_id = s.bucket_id and v.is_delete_marker = 0) as data_versions,
      (select coalesce(sum(size), 0) from object_versions v where v.bucket_id = s.bucket_id) as data_bytes,
      (select count(*) from object_tombstones t where t.bucket_id = s.bucket_id) as markers from bucket_stats s) x
      left join buckets b on b.id = x.bucket_id
      where live_objects <> heads or live_bytes <> head_bytes or versions <> data_versions or version_bytes <> data_bytes
        or tombstones <> markers`),
  },
  {
    kind: 'owner of buckets',
    severity: 'warning',
    violation: 'stored_usage differs from the counters of the buckets',
    repair: 'Run svc doctor --fix, which counts again; until then the limits of S3 users are compared with wrong numbers',
    fix: fixNames.storedUsage,
    find: find(wrongUsage),
  },
  {
    kind: 'content',
    severity: 'warning',
    violation: 'current_count is not the number of current versions',
    repair: 'Run svc doctor --fix, which counts again; until then counts of data sets are wrong',
    fix: fixNames.currentCount,
    find: find(`${content} left join (select content_id, count(*) as n from object_heads group by content_id) h on h.content_id = c.id
      where c.current_count <> coalesce(h.n, 0)`),
  },
]

export const cacheRules: readonly RowRule[] = [
  {
    invariant: 'I-02',
    kind: 'content',
    violation: 'the cache entry is releasable with too few copies, or while it awaits proof',
    repair: 'Run svc doctor --fix, which decides again, before the evictor removes the bytes',
    fix: fixNames.recount,
    find: find(`${content} join cache_entries e on e.content_id = c.id
      where e.releasable = 1 and (e.awaits_proof = 1 or c.durable_copies < b.minimum_durable_copies or c.readable_copies < 1)`),
  },
  {
    invariant: 'I-20',
    kind: 'content',
    violation: 'the bytes are neither cached nor stored, but the content is not marked lost',
    repair: 'Upload the object again, or restore the cache directory from a backup',
    find: find(`${content} where ${hasOwnBytes} and c.readable_copies = 0 and c.store_state <> 'lost'
      and not exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present')`),
  },
  {
    invariant: 'I-37',
    kind: 'content',
    violation: 'a file of the cache entry is marked as damaged, but the entry is not, or the reverse',
    repair: restore,
    find: find(`${content} join cache_entries e on e.content_id = c.id where e.state in ('present', 'damaged') and (e.state = 'damaged') <>
      exists (select 1 from cache_blobs f where f.content_id = c.id and f.damaged_at is not null)`),
  },
  {
    invariant: 'I-23',
    kind: 'content',
    violation: 'the size of the cache entry differs from the sum of its blobs',
    repair: restore,
    find: find(`select e.content_id as id, null as bucket, null as key from cache_entries e
      where e.bytes <> (select coalesce(sum(b.length), 0) from cache_blobs b where b.content_id = e.content_id)`),
  },
  {
    invariant: 'I-23',
    kind: 'cache file',
    violation: 'the blob has no cache entry',
    repair: restore,
    find: find(`select b.blob_id as id, null as bucket, null as key from cache_blobs b where b.content_id is not null
      and not exists (select 1 from cache_entries e where e.content_id = b.content_id)`),
  },
  {
    invariant: 'I-23',
    severity: 'warning',
    kind: 'content',
    violation: 'the content has bytes in the database that no blob records, and they take space',
    repair: 'Upload the object again, which replaces its cached bytes',
    find: find(`select d.content_id as id, null as bucket, null as key from cache_bytes d where not exists
      (select 1 from cache_blobs b where b.content_id = d.content_id and b.epoch = ${databaseEpoch})`),
  },
  {
    invariant: 'I-23',
    kind: 'cache file',
    violation: 'the blob does not belong to either a content or a part of an open upload',
    repair: restore,
    find: find(`select b.blob_id as id, null as bucket, null as key from cache_blobs b where (b.content_id is null) = (b.upload_id is null)
      or (b.upload_id is not null and not exists (select 1 from upload_parts p join uploads u on u.upload_id = p.upload_id
        where p.upload_id = b.upload_id and p.blob_id = b.blob_id and p.part_number = b.ordinal and p.size = b.length
          and p.sha256 = b.sha256 and u.state = 'open'))`),
  },
  {
    invariant: 'I-23',
    kind: 'upload',
    violation: 'a part has no file, or belongs to a completed upload',
    repair: 'Abort the upload, and upload the object again',
    find: find(`select u.upload_id as id, b.name as bucket, u.key from uploads u left join buckets b on b.id = u.bucket_id
      where exists (select 1 from upload_parts p where p.upload_id = u.upload_id and (u.state <> 'open'
        or not exists (select 1 from cache_blobs f where f.blob_id = p.blob_id and f.upload_id = p.upload_id)))`),
  },
  {
    invariant: 'I-30',
    kind: 'cache file',
    violation: 'the file has no SHA-256 of its own and is not all of its content',
    repair: restore,
    find: find(`select f.blob_id as id, null as bucket, null as key from cache_blobs f join contents c on c.id = f.content_id
      where f.sha256 is null and (f.ordinal <> 0 or f.length <> c.size)`),
  },
  {
    invariant: 'I-30',
    kind: 'content',
    violation: 'the files are not in a gapless order',
    repair: restore,
    find: find(`${content} where c.id in (select content_id from cache_blobs where content_id is not null group by content_id
      having min(ordinal) <> 0 or max(ordinal) <> count(*) - 1 or count(distinct ordinal) <> count(*))`),
  },
  {
    invariant: 'I-23',
    kind: 'content',
    violation: 'the cache entry has no content',
    repair: restore,
    find: find(`select e.content_id as id, null as bucket, null as key from cache_entries e
      where e.content_id not in (select id from contents)`),
  },
]

export const lossRules: readonly RowRule[] = [
  {
    kind: 'content',
    violation: 'the bytes are lost: neither the cache nor a provider has them',
    repair: 'Upload the object again, or delete its versions',
    find: find(`${content} where ${hasOwnBytes} and c.store_state = 'lost'`),
  },
]
