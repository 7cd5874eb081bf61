/** Copies that no task works on (I-29). */
import { type Reader, sqlStatement } from '#kernel'
import type { RuleRow } from '#kernel/system'
import { taskKeys } from '../task-keys.ts'

/** `'storage_store:' || k.content_id` in SQL. */
const keyOf = (key: (id: number) => string, column: string) => `'${key(0).slice(0, -1)}' || ${column}`

/** The task that a copy `k` waits for, with the state of its content `c`, data set `d` and batch `a`. Null: it is in a final state. */
const work = `case
  when k.state in ('removed', 'failed', 'lost') then null
  when c.state = 'deleting' then case when k.state = 'committed' then 'cleanup' when k.batch_id is not null then 'commit' end
  when k.state = 'committed' then null
  when k.state = 'attention' and a.attention_at is not null then null
  when k.state = 'planned' or (k.state = 'transferring' and k.batch_id is null) then 'store'
  when k.state = 'transferring' then 'pull'
  when d.state in ('planned', 'creating') then 'ensure'
  else 'commit' end`

/** A copy may also be planned for a pull, or for a data set that is being created. */
const isWorkedOn = `exists (select 1 from tasks t where t.status in ('pending', 'running', 'failed') and t.key in (
  case when w.work = 'cleanup' then ${keyOf(taskKeys.cleanup, 'w.data_set_id')} end,
  case when w.work = 'store' then ${keyOf(taskKeys.store, 'w.content_id')} end,
  case when w.work in ('pull', 'store', 'commit') then ${keyOf(taskKeys.pull, 'w.data_set_id')} end,
  case when w.work in ('ensure', 'store') then ${keyOf(taskKeys.ensure, 'w.data_set_id')} end,
  case when w.work in ('commit', 'pull') then ${keyOf(taskKeys.commit, 'w.data_set_id')} end))`

const stuck = `from (select k.id, k.content_id, k.data_set_id, c.bucket_id, ${work} as work
    from copies k join contents c on c.id = k.content_id join data_sets d on d.id = k.data_set_id
    left join commit_batches a on a.id = k.batch_id) w
  where w.work is not null and not ${isWorkedOn}`

/** A failed task counts: it waits for an operator. */
export const stuckCopies = sqlStatement<{ limit: number }, RuleRow>(
  `select w.id, (select b.name from buckets b where b.id = w.bucket_id) as bucket,
     (select min(v.key) from object_versions v where v.content_id = w.content_id) as key ${stuck} limit :limit`,
)

interface StuckCopy {
  readonly contentId: number
  readonly dataSetId: number
  readonly work: 'store' | 'pull' | 'commit' | 'ensure' | 'cleanup'
}

const one = sqlStatement<{ id: number }, StuckCopy>(
  `select w.content_id as "contentId", w.data_set_id as "dataSetId", w.work ${stuck} and w.id = :id`,
)

/** Undefined when a task works on the copy. */
export const findStuckCopy = (read: Reader, id: number): Promise<StuckCopy | undefined> => read.get(one, { id })
