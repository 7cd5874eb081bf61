import { type Reader, sqlStatement } from '#kernel'
import { unsettledStates } from '../states/tables/copy-transitions-policy.ts'
import { listOf } from '../states/tables/transition.ts'
import { taskKeys } from '../task-keys.ts'
import type { OpenWork } from './work-policy.ts'

const keyOf = (work: 'store' | 'ensure' | 'pull' | 'commit', id: string) => `'${taskKeys[work](0).slice(0, -1)}' || ${id}`

/** The key of the task that the copy `k` on data set `d` waits for; null for a copy that the store task uploads. */
const awaitedKey = `case when d.state in ('planned', 'creating') then ${keyOf('ensure', 'd.id')}
  when k.state = 'planned' or (k.state = 'transferring' and k.batch_id is not null) then ${keyOf('pull', 'd.id')}
  when k.state <> 'transferring' then ${keyOf('commit', 'd.id')} end`

const columns = `t.wait_reason as "waitReason", t.run_at as "runAtMs"`

const find = sqlStatement<{ ids: readonly number[] }, OpenWork & { readonly contentId: number }>(
  `select c.id as "contentId", null as "providerId", ${columns}
   from contents c join tasks t on t.status in ('pending', 'running') and t.key = ${keyOf('store', 'c.id')} where c.id in :ids
   union all
   select k.content_id as "contentId", d.provider_id as "providerId", ${columns}
   from copies k join data_sets d on d.id = k.data_set_id
   join tasks t on t.status in ('pending', 'running') and t.key = ${awaitedKey}
   where k.content_id in :ids and k.state in ${listOf(unsettledStates)}`,
)

/** The open tasks that make copies of each of the contents. */
export async function openWorkOf(read: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, readonly OpenWork[]>> {
  if (ids.length === 0) return new Map()
  return Map.groupBy(await read.all(find, { ids }), ({ contentId }) => contentId)
}
