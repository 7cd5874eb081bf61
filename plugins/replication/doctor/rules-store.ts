/** Rules over pieces, copies, data sets, batches and removals: statements that find violating rows. */
import { sqlStatement } from '#kernel'
import type { RowRule, RuleRow } from '#kernel/system'
import { lackingCopies, stuckContents } from '../stuck/stuck-contents-store.ts'
import { setsWithoutCopyTask, setsWithoutEndTask, setsWithoutRemovalTask } from '../stuck/stuck-sets-store.ts'
import { fixNames } from './fix-names.ts'

const find = (sql: string): RowRule['find'] => sqlStatement<{ limit: number }, RuleRow>(`${sql} limit :limit`)

const restore = 'Stop svc and restore the database from a backup; report it with svc doctor --json'

const keyOf = (contentId: string) => `coalesce((select min(v.key) from object_versions v where v.content_id = ${contentId}),
  (select min(v.key) from content_parts w join object_versions v on v.content_id = w.content_id
    where w.part_content_id = ${contentId})) as key`

/** A content with its bucket and one of its keys. */
const content = `select c.id, b.name as bucket, ${keyOf('c.id')} from contents c left join buckets b on b.id = c.bucket_id`
/** A copy `k` with its piece `p`, bucket and one of its keys. */
const copy = `select k.id, b.name as bucket, ${keyOf('k.content_id')} from copies k left join pieces p on p.id = k.piece_id
  left join contents c on c.id = k.content_id left join buckets b on b.id = c.bucket_id`
const removal = `select r.id, b.name as bucket, ${keyOf('r.content_id')} from removals r
  left join contents c on c.id = r.content_id left join buckets b on b.id = c.bucket_id`

const dataSet = `select d.id, coalesce(b.deleted_name, b.name) as bucket from data_sets d left join buckets b on b.id = d.bucket_id`

/** The copies of a member are those of its pack. */
const isNoMember = 'not exists (select 1 from pack_members m where m.content_id = c.id)'

const copyRules: readonly RowRule[] = [
  {
    invariant: 'I-19',
    kind: 'content',
    violation: 'durable_copies is not the number of slots with every piece committed and not denied',
    repair: 'Run svc doctor --fix, which counts the copies again',
    fix: fixNames.recount,
    find: find(`${content} where c.state = 'live' and c.part_count = 0 and ${isNoMember} and c.durable_copies <> (
      select count(*) from (select d.slot from copies k join data_sets d on d.id = k.data_set_id
        where k.content_id = c.id and k.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring')
          and not exists (select 1 from data_set_standings s where s.data_set_id = d.id and s.reason is not null)
          and not exists (select 1 from copy_doubts w where w.copy_id = k.id)
        group by d.slot having count(distinct k.piece_id) = (select count(*) from pieces p where p.content_id = c.id)) slots)
      and not exists (select 1 from copies k join data_set_standings s on s.data_set_id = k.data_set_id
        where k.content_id = c.id and s.counted_to is not null)`),
  },
  {
    invariant: 'I-21',
    kind: 'copy',
    violation: 'a committed copy has no piece id or no piece CID',
    repair: restore,
    find: find(`${copy} where k.state = 'committed' and (k.chain_piece_id is null or p.piece_cid is null)`),
  },
  {
    invariant: 'I-27',
    kind: 'copy',
    violation: 'two committed copies have the same piece id in the same data set',
    repair: restore,
    find: find(`${copy} join (select data_set_id, chain_piece_id from copies where state = 'committed'
        group by data_set_id, chain_piece_id having count(*) > 1) twice
      on twice.data_set_id = k.data_set_id and twice.chain_piece_id = k.chain_piece_id where k.state = 'committed'`),
  },
  {
    invariant: 'I-25',
    kind: 'copy',
    violation: 'a copy is in two open batches',
    repair: restore,
    find: find(`${copy} where k.id in (select i.copy_id from commit_items i join commit_batches a on a.id = i.batch_id
      where a.state not in ('confirmed', 'closed') and i.released_at is null group by i.copy_id having count(*) > 1)`),
  },
  {
    invariant: 'I-25',
    kind: 'copy',
    violation: 'the copy is held by a batch that released it, or a batch holds it together with another one',
    repair: restore,
    find: find(`${copy} join commit_items i on i.copy_id = k.id join commit_batches a on a.id = i.batch_id
      where a.state not in ('confirmed', 'closed') and (i.released_at is null) <> (k.batch_id is not distinct from i.batch_id)`),
  },
  {
    invariant: 'I-29',
    kind: 'copy',
    violation: 'a copy in a batch state has a closed, confirmed or missing batch',
    repair: restore,
    find: find(`${copy} left join commit_batches a on a.id = k.batch_id
      where (k.state in ('batched', 'unconfirmed', 'attention') or (k.state = 'transferring' and k.batch_id is not null))
        and (a.id is null or a.state in ('confirmed', 'closed'))`),
  },
]

const removalRules: readonly RowRule[] = [
  {
    invariant: 'I-28',
    kind: 'removal',
    violation: 'a removal names another piece than its copy',
    repair: `${restore}. Until then, disable the plugin replication so that no piece is removed`,
    find: find(`${removal} join copies k on k.id = r.copy_id join pieces p on p.id = k.piece_id
      where r.state not in ('removed', 'data_set_ended')
        and (r.piece_cid is distinct from p.piece_cid or r.chain_piece_id is distinct from k.chain_piece_id)`),
  },
  {
    invariant: 'I-18',
    kind: 'copy',
    violation: 'a committed copy of a deleted content has no removal',
    repair: `${restore}. The piece is paid for until then`,
    find: find(`${copy} where c.state = 'deleting' and k.state = 'committed'
      and not exists (select 1 from removals r where r.data_set_id = k.data_set_id and r.chain_piece_id = k.chain_piece_id
        and r.state not in ('removed', 'data_set_ended'))`),
  },
  {
    invariant: 'I-18',
    kind: 'removal',
    violation: 'a copy of a content with versions is being removed',
    repair: `${restore}. Until then, disable the plugin replication so that no piece is removed`,
    find: find(`${removal} where c.state = 'live' and r.surplus_batch_id is null`),
  },
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'a deleted content can still be read from the cache or get new copies',
    repair: restore,
    find: find(`${content} where c.state = 'deleting' and (
      exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present')
      or exists (select 1 from copies k where k.content_id = c.id and k.batch_id is null and k.state in ('planned', 'parked', 'transferring')))`),
  },
  {
    invariant: 'I-04',
    kind: 'removal',
    violation: 'a submitted removal has no recorded attempt',
    repair: restore,
    find: find(`${removal} where r.state in ('submitting', 'submitted', 'uncertain')
      and not exists (select 1 from removal_attempts a where a.id = r.attempt_id and a.data_set_id = r.data_set_id)`),
  },
]

const dataSetRules: readonly RowRule[] = [
  {
    invariant: 'I-22',
    kind: 'replica slot',
    violation: 'the current data set of the replica slot is missing or belongs to another slot',
    repair: restore,
    find: find(`select s.slot as id, b.name as bucket from replica_slots s left join buckets b on b.id = s.bucket_id
      left join data_sets d on d.id = s.current_data_set_id
      where s.current_data_set_id is not null and (d.id is null or d.bucket_id <> s.bucket_id or d.slot <> s.slot)`),
  },
  {
    invariant: 'I-04',
    kind: 'data set',
    violation: 'a requested termination has no recorded bytes',
    repair: restore,
    find: find(`${dataSet} join data_set_endings e on e.data_set_id = d.id
      where e.path = 'relay' and e.state in ('submitting', 'submitted', 'uncertain') and e.extra_data is null`),
  },
  {
    invariant: 'I-22',
    kind: 'data set',
    violation: 'a replica slot has an ended data set',
    repair: restore,
    find: find(`${dataSet} join replica_slots s on s.current_data_set_id = d.id join data_set_endings e on e.data_set_id = d.id
      where d.state in ('retired', 'abandoned')`),
  },
  {
    invariant: 'I-36',
    kind: 'data set',
    violation: 'a data set of a deleted bucket is not being ended',
    repair: `${restore}. The data set is paid for until then`,
    find: find(`${dataSet} where b.deleted_at is not null
      and not exists (select 1 from data_set_endings e where e.data_set_id = d.id)`),
  },
  {
    severity: 'warning',
    kind: 'data set',
    violation: 'data_set_totals differs from the committed copies',
    repair: 'Run svc doctor --fix, which counts again; until then the figures of the data set are wrong',
    fix: fixNames.dataSetTotals,
    find: find(`select x.id, x.bucket from (select d.id, b.name as bucket, t.committed_copies, t.committed_bytes, count(k.id) as copies,
        coalesce(sum(p.length), 0) as bytes
      from data_sets d join buckets b on b.id = d.bucket_id left join data_set_totals t on t.data_set_id = d.id
      left join copies k on k.data_set_id = d.id and k.state = 'committed' left join pieces p on p.id = k.piece_id
      group by d.id, b.name, t.committed_copies, t.committed_bytes) x
      where committed_copies is distinct from copies or committed_bytes is distinct from bytes`),
  },
  {
    severity: 'warning',
    kind: 'data set',
    violation: 'data_set_totals differs from the versions of the committed copies',
    repair: 'Run svc doctor --fix, which counts again; until then the figures of the data set are wrong',
    fix: fixNames.dataSetTotals,
    find: find(`select x.data_set_id as id from (select t.data_set_id, t.referenced_versions, t.current_versions,
        coalesce(sum(c.ref_count), 0) as versions,
        coalesce(sum((select count(*) from object_heads h where h.content_id = c.id)), 0) as heads
      from data_set_totals t left join copies k on k.data_set_id = t.data_set_id and k.state = 'committed'
      left join contents c on c.id = k.content_id group by t.data_set_id, t.referenced_versions, t.current_versions) x
      where referenced_versions <> versions or current_versions <> heads`),
  },
]

/** True in every committed state of an idle or busy database. */
export const replicationRules = { copies: copyRules, removals: removalRules, dataSets: dataSetRules }

const enqueues =
  'Run svc doctor --fix, which enqueues the tasks; svc also tries again by itself. The failed tasks say why: svc task list --status failed, or dismissed'

/** What is on its way, and no task works on it. */
export const stuckRules: readonly RowRule[] = [
  {
    invariant: 'I-43',
    kind: 'content',
    violation: 'the content has fewer copies than its target, and no task works on the others',
    repair: enqueues,
    fix: fixNames.resumeContent,
    find: stuckContents,
  },
  {
    kind: 'content',
    violation: 'the content has fewer copies than its target, and no task plans the others',
    // The row of a copy that is on chain may be lost: another one would be paid for twice.
    repair:
      'The row of a copy may be lost: restore the newest backup of the database, or delete all versions with these bytes and upload the object again; svc doctor --whole --only replication.chain-unrecorded shows whether a piece on chain has no row',
    find: lackingCopies,
  },
  {
    invariant: 'I-43',
    kind: 'data set',
    violation: 'copies wait for a task of the data set, and no task works on them',
    repair: enqueues,
    fix: fixNames.resumeDataSet,
    find: setsWithoutCopyTask,
  },
  {
    invariant: 'I-43',
    kind: 'data set',
    violation: 'pieces must be removed from the data set, and no task works on it',
    repair: `${enqueues}. The pieces are paid for until then`,
    fix: fixNames.resumeDataSet,
    find: setsWithoutRemovalTask,
  },
  {
    invariant: 'I-36',
    kind: 'data set',
    violation: 'the data set must end, and no task works on it',
    repair: `${enqueues}. The data set is paid for until then`,
    fix: fixNames.resumeDataSet,
    find: setsWithoutEndTask,
  },
]
