import { existsSync, statSync } from 'node:fs'
import type { Reader } from '#kernel'
import { allRows, getRow } from '#kernel/testing'
import { blobPath } from '../cache/blob-folders.ts'

/** A query that returns rows only if an invariant is violated. */
export interface Rule {
  readonly id: string
  readonly violation: string
  readonly sql: string
}

const newest = `select bucket_id, key, min(rseq) as rseq from object_versions group by bucket_id, key`

const rules: readonly Rule[] = [
  {
    id: 'I-17',
    violation: 'a key does not have exactly one of head and tombstone, equal to its newest version',
    sql: `select v.bucket_id, v.key from (${newest}) n
      join object_versions v on v.bucket_id = n.bucket_id and v.key = n.key and v.rseq = n.rseq
      left join object_heads h on h.bucket_id = v.bucket_id and h.key = v.key
      left join object_tombstones t on t.bucket_id = v.bucket_id and t.key = v.key
      where case when v.is_delete_marker = 1
        then h.key is not null or t.rseq is distinct from v.rseq or t.marker_version_id is distinct from v.version_id
        else t.key is not null or h.rseq is distinct from v.rseq or h.version_id is distinct from v.version_id
          or h.content_id is distinct from v.content_id or h.size is distinct from v.size or h.etag is distinct from v.etag
          or h.last_modified is distinct from v.created_at end`,
  },
  {
    id: 'I-17',
    violation: 'a head or a tombstone has no version',
    sql: `select bucket_id, key from (select bucket_id, key from object_heads union all select bucket_id, key from object_tombstones) x
      where not exists (select 1 from object_versions v where v.bucket_id = x.bucket_id and v.key = x.key)`,
  },
  {
    id: 'I-17',
    violation: 'is_restorable of a tombstone is wrong',
    sql: `select t.bucket_id, t.key from object_tombstones t where (t.is_restorable = 1) <> exists (
      select 1 from object_versions v where v.bucket_id = t.bucket_id and v.key = t.key and v.is_delete_marker = 0)`,
  },
  {
    id: 'I-18',
    violation: 'ref_count is not the number of versions',
    sql: `select c.id, c.ref_count from contents c
      where c.ref_count <> (select count(*) from object_versions v where v.content_id = c.id)`,
  },
  {
    id: 'I-18',
    violation: 'a version has no content with its bucket and size',
    sql: `select v.version_id from object_versions v left join contents c on c.id = v.content_id
      where v.is_delete_marker = 0 and (c.id is null or c.bucket_id <> v.bucket_id or c.size <> v.size)`,
  },
  {
    id: 'I-18',
    violation: 'ref_count is 0 but the state is not deleting, or the reverse',
    sql: `select id from contents where (ref_count = 0) <> (state = 'deleting')`,
  },
  {
    id: 'I-02',
    violation: 'a cache entry is releasable with too few copies, or while it awaits proof',
    sql: `select e.content_id from cache_entries e join contents c on c.id = e.content_id join buckets b on b.id = c.bucket_id
      where e.releasable = 1 and (e.awaits_proof = 1 or c.durable_copies < b.minimum_durable_copies or c.readable_copies < 1)`,
  },
  {
    id: 'I-20',
    violation: 'a content is neither cached nor stored, but not marked lost',
    sql: `select c.id from contents c where c.ref_count > 0 and c.readable_copies = 0 and c.store_state <> 'lost'
      and not exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present')`,
  },
  {
    id: 'I-23',
    violation: 'the size of a cache entry differs from the sum of its blobs',
    sql: `select e.content_id, e.bytes from cache_entries e
      where e.bytes <> (select coalesce(sum(b.length), 0) from cache_blobs b where b.content_id = e.content_id)`,
  },
  {
    id: 'I-23',
    violation: 'a blob has no cache entry',
    sql: `select b.blob_id from cache_blobs b where b.content_id is not null
      and not exists (select 1 from cache_entries e where e.content_id = b.content_id)`,
  },
  {
    id: 'I-23',
    violation: 'a blob does not belong to either a content or a part of an open upload',
    sql: `select b.blob_id from cache_blobs b where (b.content_id is null) = (b.upload_id is null)
      or (b.upload_id is not null and not exists (select 1 from upload_parts p join uploads u on u.upload_id = p.upload_id
        where p.upload_id = b.upload_id and p.blob_id = b.blob_id and p.part_number = b.ordinal and p.size = b.length
          and p.sha256 = b.sha256 and u.state = 'open'))`,
  },
  {
    id: 'I-23',
    violation: 'a part has no file, or belongs to a completed upload',
    sql: `select p.upload_id, p.part_number from upload_parts p join uploads u on u.upload_id = p.upload_id
      where u.state <> 'open' or not exists (select 1 from cache_blobs b where b.blob_id = p.blob_id and b.upload_id = p.upload_id)`,
  },
  {
    id: 'I-30',
    violation: 'a cached file has no SHA-256 of its own and is not all of its content',
    sql: `select b.blob_id from cache_blobs b join contents c on c.id = b.content_id
      where b.sha256 is null and (b.ordinal <> 0 or b.length <> c.size)`,
  },
  {
    id: 'I-30',
    violation: 'the files of a content are not in a gapless order',
    sql: `select content_id from cache_blobs where content_id is not null group by content_id
      having min(ordinal) <> 0 or max(ordinal) <> count(*) - 1 or count(distinct ordinal) <> count(*)`,
  },
  {
    id: 'I-23',
    violation: 'a cache entry has no content',
    sql: 'select content_id from cache_entries where content_id not in (select id from contents)',
  },
  {
    id: 'counts',
    violation: 'bucket_stats differs from the rows',
    sql: `select * from (select s.*,
      (select count(*) from object_heads h where h.bucket_id = s.bucket_id) as heads,
      (select coalesce(sum(size), 0) from object_heads h where h.bucket_id = s.bucket_id) as head_bytes,
      (select count(*) from object_versions v where v.bucket_id = s.bucket_id and v.is_delete_marker = 0) as data_versions,
      (select coalesce(sum(size), 0) from object_versions v where v.bucket_id = s.bucket_id) as data_bytes,
      (select count(*) from object_tombstones t where t.bucket_id = s.bucket_id) as markers from bucket_stats s) x
      where live_objects <> heads or live_bytes <> head_bytes or versions <> data_versions or version_bytes <> data_bytes
        or tombstones <> markers`,
  },
]

/** Contents, and parts of open uploads. */
const usedBytesSql = `select cast((select coalesce(sum(bytes), 0) from cache_entries)
  + (select coalesce(sum(b.length), 0) from cache_blobs b where b.upload_id is not null) as bigint) as bytes`

/** Rows listed per violated rule. */
const rowsShownMax = 5

export interface CacheState {
  /** Cache folder: every present entry must have its files with the recorded length. */
  readonly cacheDir?: string
  /** Used bytes as counted by the running cache (I-23). */
  readonly usedBytes?: number
}

/** Checks the rows of storage in an idle database. Returns a message per violated rule or missing file; empty when all invariants hold. */
export async function checkInvariants(read: Reader, { cacheDir, usedBytes }: CacheState = {}): Promise<string[]> {
  const problems = await violations(read, rules)
  if (cacheDir !== undefined) problems.push(...(await missingFiles(read, cacheDir)))
  const sum = (await getRow<{ bytes: number }>(read, usedBytesSql))?.bytes
  if (usedBytes !== undefined && usedBytes !== sum)
    problems.push(`I-23: the cache counts ${usedBytes} used bytes, but the rows sum to ${sum}`)
  return problems
}

/** One message per violated rule. */
export async function violations(read: Reader, rules: readonly Rule[]): Promise<string[]> {
  return (
    await Promise.all(
      rules.map(async ({ id, violation, sql }) => {
        const rows = await allRows(read, sql)
        return rows.length > 0 ? `${id}: ${violation}: ${rows.length} rows, such as ${JSON.stringify(rows.slice(0, rowsShownMax))}` : []
      }),
    )
  ).flat()
}

async function missingFiles(read: Reader, cacheDir: string): Promise<string[]> {
  const blobs = await allRows<{ id: string; epoch: number; length: number }>(
    read,
    `select b.blob_id as id, b.epoch, b.length from cache_blobs b left join cache_entries e on e.content_id = b.content_id
     where e.state = 'present' or b.upload_id is not null`,
  )
  return blobs.flatMap(({ id, epoch, length }) => {
    const path = blobPath(cacheDir, id, epoch)
    if (!existsSync(path)) return [`I-01: ${path} is missing`]
    const found = statSync(path).size
    return found === length ? [] : [`I-01: ${path} has ${found} bytes instead of ${length}`]
  })
}
