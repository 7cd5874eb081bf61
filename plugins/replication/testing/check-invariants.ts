import type { Reader } from '#kernel'
import { type CacheState, checkInvariants as checkStorage, type Rule, violations } from '../../storage/testing/check-invariants.ts'

const rules: readonly Rule[] = [
  {
    id: 'I-19',
    violation: 'durable_copies is not the number of slots with every piece committed',
    sql: `select c.id, c.durable_copies from contents c where c.state = 'live' and c.part_count = 0 and c.durable_copies <> (
      select count(*) from (select d.slot from copies k join data_sets d on d.id = k.data_set_id
        where k.content_id = c.id and k.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring')
        group by d.slot having count(distinct k.piece_id) = (select count(*) from pieces p where p.content_id = c.id)) slots)`,
  },
  {
    id: 'I-21',
    violation: 'a committed copy has no piece id or no piece CID',
    sql: `select k.id from copies k join pieces p on p.id = k.piece_id
      where k.state = 'committed' and (k.chain_piece_id is null or p.piece_cid is null)`,
  },
  {
    id: 'I-27',
    violation: 'two committed copies have the same piece id in the same data set',
    sql: `select data_set_id, chain_piece_id, count(*) as n from copies where state = 'committed' group by data_set_id, chain_piece_id
      having count(*) > 1`,
  },
  {
    id: 'I-28',
    violation: 'a removal names another piece than its copy',
    sql: `select r.id from removals r join copies k on k.id = r.copy_id join pieces p on p.id = k.piece_id
      where r.state not in ('removed', 'data_set_ended') and (r.piece_cid is distinct from p.piece_cid or r.chain_piece_id is distinct from k.chain_piece_id)`,
  },
  {
    id: 'I-22',
    violation: 'the current data set of a replica slot is missing or belongs to another slot',
    sql: `select s.bucket_id, s.slot from replica_slots s left join data_sets d on d.id = s.current_data_set_id
      where s.current_data_set_id is not null and (d.id is null or d.bucket_id <> s.bucket_id or d.slot <> s.slot)`,
  },
  {
    id: 'I-25',
    violation: 'a copy is in two open batches',
    sql: `select i.copy_id from commit_items i join commit_batches b on b.id = i.batch_id
      where b.state not in ('confirmed', 'closed') group by i.copy_id having count(*) > 1`,
  },
  {
    id: 'I-29',
    violation: 'a copy in a batch state has a closed, confirmed or missing batch',
    sql: `select k.id, k.state, b.state as batch from copies k left join commit_batches b on b.id = k.batch_id
      where (k.state in ('batched', 'unconfirmed', 'attention') or (k.state = 'transferring' and k.batch_id is not null))
        and (b.id is null or b.state in ('confirmed', 'closed'))`,
  },
  {
    id: 'I-18',
    violation: 'a committed copy of a deleted content has no removal',
    sql: `select k.id from copies k join contents c on c.id = k.content_id where c.state = 'deleting' and k.state = 'committed'
      and not exists (select 1 from removals r where r.data_set_id = k.data_set_id and r.chain_piece_id = k.chain_piece_id
        and r.state not in ('removed', 'data_set_ended'))`,
  },
  {
    id: 'I-18',
    violation: 'a copy of a content with versions is being removed',
    sql: `select r.id from removals r join contents c on c.id = r.content_id where c.state = 'live'`,
  },
  {
    id: 'I-18',
    violation: 'a deleted content can still be read from the cache or get new copies',
    sql: `select c.id from contents c where c.state = 'deleting' and (
      exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present')
      or exists (select 1 from copies k where k.content_id = c.id and k.batch_id is null and k.state in ('planned', 'parked', 'transferring')))`,
  },
  {
    id: 'I-04',
    violation: 'a submitted removal has no recorded attempt',
    sql: `select r.id from removals r where r.state in ('submitting', 'submitted', 'uncertain')
      and not exists (select 1 from removal_attempts a where a.id = r.attempt_id and a.data_set_id = r.data_set_id)`,
  },
  {
    id: 'counts',
    violation: 'data_set_totals differs from the committed copies',
    sql: `select * from (select d.id, t.committed_copies, t.committed_bytes, count(k.id) as copies, coalesce(sum(p.length), 0) as bytes
      from data_sets d left join data_set_totals t on t.data_set_id = d.id
      left join copies k on k.data_set_id = d.id and k.state = 'committed' left join pieces p on p.id = k.piece_id
      group by d.id, t.committed_copies, t.committed_bytes) x
      where committed_copies is distinct from copies or committed_bytes is distinct from bytes`,
  },
  {
    id: 'counts',
    violation: 'data_set_totals differs from the versions of the committed copies',
    sql: `select * from (select t.*, coalesce(sum(c.ref_count), 0) as versions,
      coalesce(sum((select count(*) from object_heads h where h.content_id = c.id)), 0) as heads
      from data_set_totals t left join copies k on k.data_set_id = t.data_set_id and k.state = 'committed'
      left join contents c on c.id = k.content_id group by t.data_set_id) x
      where referenced_versions <> versions or current_versions <> heads`,
  },
  {
    id: 'counts',
    violation: 'a content has another number of current versions than its row says',
    sql: `select c.id from contents c left join (select content_id, count(*) as n from object_heads group by content_id) h on h.content_id = c.id
      where c.current_count <> coalesce(h.n, 0)`,
  },
]

/** Checks an idle database. Returns a message per violated rule or missing file; empty when all invariants hold. */
export const checkInvariants = async (read: Reader, state: CacheState = {}): Promise<string[]> => [
  ...(await checkStorage(read, state)),
  ...(await violations(read, rules)),
]
