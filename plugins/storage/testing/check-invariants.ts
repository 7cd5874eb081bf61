import { existsSync, statSync } from 'node:fs'
import type { Reader } from '#kernel'
import { blobPath } from '../cache/blob-folders.ts'

/** A query that returns rows only if an invariant is violated. */
interface Rule {
  readonly id: string
  readonly violation: string
  /** Tables of later migrations that the query reads. The rule is skipped if one is missing. */
  readonly needs?: readonly string[]
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
        then not (h.key is null and t.rseq is v.rseq and t.marker_version_id is v.version_id)
        else not (t.key is null and h.rseq is v.rseq and h.version_id is v.version_id and h.content_id is v.content_id
          and h.size is v.size and h.etag is v.etag and h.last_modified is v.created_at) end`,
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
    sql: `select t.bucket_id, t.key from object_tombstones t where t.is_restorable <> exists (
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
    id: 'I-19',
    violation: 'durable_copies is not the number of slots with every piece committed',
    needs: ['pieces', 'copies', 'data_sets'],
    sql: `select c.id, c.durable_copies from contents c where c.state = 'live' and c.durable_copies <> (
      select count(*) from (select d.slot from copies k join data_sets d on d.id = k.data_set_id
        where k.content_id = c.id and k.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring')
        group by d.slot having count(distinct k.piece_id) = (select count(*) from pieces p where p.content_id = c.id)))`,
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
    id: 'I-21',
    violation: 'a committed copy has no piece id or no piece CID',
    needs: ['pieces', 'copies'],
    sql: `select k.id from copies k join pieces p on p.id = k.piece_id
      where k.state = 'committed' and (k.chain_piece_id is null or p.piece_cid is null)`,
  },
  {
    id: 'I-27',
    violation: 'two committed copies have the same piece id in the same data set',
    needs: ['copies'],
    sql: `select data_set_id, chain_piece_id, count(*) as n from copies where state = 'committed' group by data_set_id, chain_piece_id
      having count(*) > 1`,
  },
  {
    id: 'I-28',
    violation: 'a removal names another piece than its copy',
    needs: ['removals', 'data_set_totals'],
    sql: `select r.id from removals r join copies k on k.id = r.copy_id join pieces p on p.id = k.piece_id
      where r.state not in ('removed', 'data_set_ended') and (r.piece_cid is not p.piece_cid or r.chain_piece_id is not k.chain_piece_id)`,
  },
  {
    id: 'I-22',
    violation: 'the current data set of a replica slot is missing or belongs to another slot',
    needs: ['replica_slots', 'data_sets'],
    sql: `select s.bucket_id, s.slot from replica_slots s left join data_sets d on d.id = s.current_data_set_id
      where s.current_data_set_id is not null and (d.id is null or d.bucket_id <> s.bucket_id or d.slot <> s.slot)`,
  },
  {
    id: 'I-25',
    violation: 'a copy is in two open batches',
    needs: ['commit_batches', 'commit_items'],
    sql: `select i.copy_id from commit_items i join commit_batches b on b.id = i.batch_id
      where b.state not in ('confirmed', 'closed') group by i.copy_id having count(*) > 1`,
  },
  {
    id: 'I-29',
    violation: 'a copy in a batch state has a closed, confirmed or missing batch',
    needs: ['commit_batches', 'copies'],
    sql: `select k.id, k.state, b.state as batch from copies k left join commit_batches b on b.id = k.batch_id
      where (k.state in ('batched', 'unconfirmed', 'attention') or (k.state = 'transferring' and k.batch_id is not null))
        and (b.id is null or b.state in ('confirmed', 'closed'))`,
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
    violation: 'a cache entry has no content',
    sql: 'select content_id from cache_entries where content_id not in (select id from contents)',
  },
  {
    id: 'I-18',
    violation: 'a committed copy of a deleted content has no removal',
    needs: ['removals'],
    sql: `select k.id from copies k join contents c on c.id = k.content_id where c.state = 'deleting' and k.state = 'committed'
      and not exists (select 1 from removals r where r.data_set_id = k.data_set_id and r.chain_piece_id = k.chain_piece_id
        and r.state not in ('removed', 'data_set_ended'))`,
  },
  {
    id: 'I-18',
    violation: 'a copy of a content with versions is being removed',
    needs: ['removals'],
    sql: `select r.id from removals r join contents c on c.id = r.content_id where c.state = 'live'`,
  },
  {
    id: 'I-18',
    violation: 'a deleted content can still be read from the cache or get new copies',
    needs: ['removals'],
    sql: `select c.id from contents c where c.state = 'deleting' and (
      exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present')
      or exists (select 1 from copies k where k.content_id = c.id and k.batch_id is null and k.state in ('planned', 'parked', 'transferring')))`,
  },
  {
    id: 'I-04',
    violation: 'a submitted removal has no recorded attempt',
    needs: ['removals'],
    sql: `select r.id from removals r where r.state in ('submitting', 'submitted', 'uncertain')
      and not exists (select 1 from removal_attempts a where a.id = r.attempt_id and a.data_set_id = r.data_set_id)`,
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
  {
    id: 'counts',
    violation: 'data_set_totals differs from the committed copies',
    needs: ['data_set_totals'],
    sql: `select * from (select d.id, t.committed_copies, t.committed_bytes, count(k.id) as copies, coalesce(sum(p.length), 0) as bytes
      from data_sets d left join data_set_totals t on t.data_set_id = d.id
      left join copies k on k.data_set_id = d.id and k.state = 'committed' left join pieces p on p.id = k.piece_id group by d.id) x
      where committed_copies is not copies or committed_bytes is not bytes`,
  },
  {
    id: 'counts',
    violation: 'data_set_totals differs from the versions of the committed copies',
    needs: ['data_set_totals'],
    sql: `select * from (select t.*, coalesce(sum(c.ref_count), 0) as versions,
      coalesce(sum((select count(*) from object_heads h where h.content_id = c.id)), 0) as heads
      from data_set_totals t left join copies k on k.data_set_id = t.data_set_id and k.state = 'committed'
      left join contents c on c.id = k.content_id group by t.data_set_id) x
      where referenced_versions <> versions or current_versions <> heads`,
  },
  {
    id: 'counts',
    violation: 'a content has another number of current versions than its row says',
    needs: ['data_set_totals'],
    sql: `select c.id from contents c left join (select content_id, count(*) as n from object_heads group by content_id) h on h.content_id = c.id
      where c.current_count <> coalesce(h.n, 0)`,
  },
]

/** Rows listed per violated rule. */
const rowsShownMax = 5

interface CacheState {
  /** Cache folder: every present entry must have its files with the recorded length. */
  readonly cacheDir?: string
  /** Used bytes as counted by the running cache (I-23). */
  readonly usedBytes?: number
}

/** Checks an idle database. Returns a message per violated rule or missing file; empty when all invariants hold. */
export function checkInvariants(read: Reader, { cacheDir, usedBytes }: CacheState = {}): string[] {
  const tables = new Set(read.all<{ name: string }>(`select name from sqlite_master where type = 'table'`).map(({ name }) => name))
  const problems: string[] = []
  for (const { id, violation, needs = [], sql } of rules) {
    if (needs.some((table) => !tables.has(table))) continue
    const rows = read.all(sql)
    if (rows.length > 0) problems.push(`${id}: ${violation}: ${rows.length} rows, such as ${JSON.stringify(rows.slice(0, rowsShownMax))}`)
  }
  if (cacheDir !== undefined) problems.push(...missingFiles(read, cacheDir))
  const sum = read.get<{ bytes: number }>('select coalesce(sum(bytes), 0) as bytes from cache_entries')?.bytes
  if (usedBytes !== undefined && usedBytes !== sum)
    problems.push(`I-23: the cache counts ${usedBytes} used bytes, but the rows sum to ${sum}`)
  return problems
}

function missingFiles(read: Reader, cacheDir: string): string[] {
  const blobs = read.all<{ id: string; epoch: number; length: number }>(
    `select b.blob_id as id, b.epoch, b.length from cache_blobs b join cache_entries e on e.content_id = b.content_id
     where e.state = 'present'`,
  )
  return blobs.flatMap(({ id, epoch, length }) => {
    const path = blobPath(cacheDir, id, epoch)
    if (!existsSync(path)) return [`I-01: ${path} is missing`]
    const found = statSync(path).size
    return found === length ? [] : [`I-01: ${path} has ${found} bytes instead of ${length}`]
  })
}
