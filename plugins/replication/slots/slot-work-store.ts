/** What the tasks of a data set and of the copies on it are at. Written by hand: the table of tasks is the kernel's. */
import { type Reader, sqlStatement } from '#kernel'
import type { ContentWork, ContentWorkRecord, SlotWork } from '../contract.ts'
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

/** No task makes the planned copy `k`: the store task of its content does not, nor a pull from another provider. */
const isIdle = `not ${hasOpenTask(taskKeys.store, 'k.content_id')}
  and (${hasNoProvider('k')} or not ${hasOpenTask(taskKeys.pull, 'k.data_set_id')})`

/** Its copies are those of its pack, which is copied by itself. */
const isPacked = `exists (select 1 from pack_members m where m.content_id = c.id)
  or exists (select 1 from waiting_members w where w.content_id = c.id)`

const workOfCopy = `case when c.state is null or c.state <> 'live' or ${isPacked} then 'deleted' when k.id is null or k.state in ('lost', 'removed', 'failed') then 'none'
  when k.state = 'committed' and b.final_at is not null and w.copy_id is null then 'final' when k.state = 'attention' then 'attention'
  when k.state <> 'planned' then 'active' when k.next_attempt_at > :nowMs then 'retrying' when ${hasNoSource('k')} then 'waiting_source'
  when ${isIdle} then 'idle' else 'pending' end`

interface WorkRow {
  readonly contentId: number
  readonly work: ContentWork
  readonly nextRetryAtMs: number | null
}

const findWork = sqlStatement<{ dataSetId: number; nowMs: number; contentIds: readonly number[] }, WorkRow>(
  `select c.id as "contentId", ${workOfCopy} as work, case when k.state = 'planned' and k.next_attempt_at > :nowMs then k.next_attempt_at end as "nextRetryAtMs"
   from contents c left join copies k on k.content_id = c.id and k.data_set_id = :dataSetId
   left join commit_batches b on b.id = k.batch_id left join copy_doubts w on w.copy_id = k.id where c.id in :contentIds`,
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

/** Reads the failed tasks once, whose key has no index of its own. */
const findFailures = sqlStatement<{ keys: readonly string[] }, { key: string; lastError: string | null }>(
  `select t.key, t.last_error as "lastError" from tasks t where t.status = 'failed' and t.key in :keys order by t.id`,
)

/** What is known of a copy. A content that is not found was deleted with its row. */
export async function workOnDataSet(
  read: Reader,
  place: { readonly dataSetId: number; readonly contentIds: readonly number[]; readonly nowMs: number },
): Promise<ReadonlyMap<number, ContentWorkRecord>> {
  const rows = await read.all(findWork, place)
  const found = new Map(rows.map(({ contentId, ...row }) => [contentId, { ...row, lastError: null as string | null }]))
  const idle = rows.flatMap(({ contentId, work }) => (work === 'idle' ? [contentId] : []))
  const ofPull = taskKeys.pull(place.dataSetId)
  const failures = idle.length === 0 ? [] : await read.all(findFailures, { keys: [ofPull, ...idle.map(taskKeys.store)] })
  const lastErrors = new Map(failures.map(({ key, lastError }) => [key, lastError]))
  for (const id of idle) {
    const key = [taskKeys.store(id), ofPull].find((one) => lastErrors.has(one))
    if (key !== undefined) found.set(id, { work: 'failed', nextRetryAtMs: null, lastError: lastErrors.get(key) ?? null })
  }
  return new Map(place.contentIds.map((id) => [id, found.get(id) ?? { work: 'deleted', nextRetryAtMs: null, lastError: null }]))
}
