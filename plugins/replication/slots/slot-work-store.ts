/** What the tasks of a data set and of the copies on it are at. Written by hand: the table of tasks is the kernel's. */
import { type Reader, sqlStatement } from '#kernel'
import type { ContentWork, SlotWork } from '../contract.ts'
import { hasOpenTask } from '../stuck/open-task.ts'
import { taskKeys } from '../task-keys.ts'
import { hasNoProvider, hasNoSource } from './slot-store.ts'

interface TaskRow {
  readonly status: 'pending' | 'running' | 'failed'
  readonly isBackingOff: number
  readonly waitReason: string | null
  readonly message: string | null
  readonly errorCode: string | null
  readonly lastError: string | null
}

/** The open task of each key, and its newest failure. */
const findTasks = sqlStatement<{ keys: readonly string[] }, TaskRow>(
  `select t.status, t.is_backing_off as "isBackingOff", t.wait_reason as "waitReason", t.message, t.error_code as "errorCode", t.last_error as "lastError"
   from tasks t where t.key in :keys and t.status in ('pending', 'running', 'failed')
   order by case when t.status = 'failed' then 1 else 0 end, t.id desc`,
)

/** A failed task of the content or of the data set, whose failure an operator may have dismissed. */
const hasFailedTask = (key: (id: number) => string, id: string) =>
  `exists (select 1 from tasks f where f.status = 'failed' and f.key = '${key(0).slice(0, -1)}' || ${id})`

/** No task makes the planned copy `t`: the store task of its content does not, nor a pull from another provider. */
const isIdle = `not ${hasOpenTask(taskKeys.store, 't.content_id')}
  and (${hasNoProvider} or not ${hasOpenTask(taskKeys.pull, 't.data_set_id')})`

const workOfCopy = `case when c.state is null or c.state <> 'live' then 'deleted' when t.id is null or t.state in ('lost', 'removed', 'failed') then 'none'
  when t.state = 'committed' and b.final_at is not null and w.copy_id is null then 'final' when t.state = 'attention' then 'attention'
  when t.state <> 'planned' then 'active' when t.next_attempt_at > :nowMs then 'retrying' when ${hasNoSource} then 'waiting_source'
  when not (${isIdle}) then 'pending'
  when ${hasFailedTask(taskKeys.store, 't.content_id')} or ${hasFailedTask(taskKeys.pull, 't.data_set_id')} then 'failed' else 'idle' end`

/** Why the failed task failed. */
const failureOf = `(select f.last_error from tasks f where f.status = 'failed' and f.key in ('${taskKeys.store(0).slice(0, -1)}' || t.content_id,
  '${taskKeys.pull(0).slice(0, -1)}' || t.data_set_id) order by f.id desc limit 1)`

interface WorkRow {
  readonly contentId: number
  readonly work: ContentWork
  readonly lastError: string | null
  readonly nextRetryAtMs: number | null
}

const findWork = sqlStatement<{ dataSetId: number; nowMs: number; contentIds: readonly number[] }, WorkRow>(
  `select c.id as "contentId", ${workOfCopy} as work, case when t.state = 'planned' and t.next_attempt_at > :nowMs then t.next_attempt_at end as "nextRetryAtMs",
     ${failureOf} as "lastError"
   from contents c left join copies t on t.content_id = c.id and t.data_set_id = :dataSetId
   left join commit_batches b on b.id = t.batch_id left join copy_doubts w on w.copy_id = t.id where c.id in :contentIds`,
)

/** What an open task waits for comes before what others do, and a failure only counts while none is open. */
export async function workOfTasks(read: Reader, keys: readonly string[]): Promise<SlotWork> {
  const rows = await read.all(findTasks, { keys })
  const open = rows.filter(({ status }) => status !== 'failed')
  const waiting = open.find(({ status, waitReason, isBackingOff }) => status === 'pending' && waitReason !== null && isBackingOff === 0)
  if (waiting) return { kind: 'waiting', reason: waiting.waitReason, message: waiting.message }
  const [first] = open
  if (first) return { kind: 'working', reason: null, message: first.lastError }
  const [failed] = rows
  return { kind: 'stopped', reason: failed?.errorCode ?? null, message: failed?.lastError ?? null }
}

/** A content that is not found was deleted with its row. */
export async function workOnDataSet(
  read: Reader,
  place: { readonly dataSetId: number; readonly contentIds: readonly number[]; readonly nowMs: number },
): Promise<ReadonlyMap<number, Omit<WorkRow, 'contentId'>>> {
  const found = new Map((await read.all(findWork, place)).map(({ contentId, ...row }) => [contentId, row]))
  return new Map(place.contentIds.map((id) => [id, found.get(id) ?? { work: 'deleted', nextRetryAtMs: null, lastError: null }]))
}
