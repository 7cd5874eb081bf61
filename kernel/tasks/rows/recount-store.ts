/** Counters of tasks that differ from the rows, and the repair. */
import type { Tx } from '../../db/database.ts'
import { sqlStatement } from '../../db/statement.ts'

/** Tasks of one kind with one status, and failed ones by whether they were dismissed. */
interface TaskGroup {
  readonly kind: string
  readonly status: string
  readonly acknowledged: number
}

const isAcknowledged = 'case when t.acknowledged_at is null then 0 else 1 end'

/** `id`: kind, status and `acknowledged`, separated by `/`. Counts the table. */
export const wrongTaskCounts = sqlStatement<{ limit: number }, { id: string }>(
  `select coalesce(c.kind, r.kind) || '/' || coalesce(c.status, r.status) || '/' || coalesce(c.acknowledged, r.acknowledged) as id
   from task_counts c full outer join (
     select t.kind, t.status, ${isAcknowledged} as acknowledged, count(*) as n from tasks t group by 1, 2, 3) r
     on c.kind = r.kind and c.status = r.status and c.acknowledged = r.acknowledged
   where coalesce(c.n, 0) <> coalesce(r.n, 0) order by 1 limit :limit`,
)

const rowsOfGroup = sqlStatement<TaskGroup, { n: number }>(
  `select count(*) as n from tasks t where t.kind = :kind and t.status = :status and ${isAcknowledged} = :acknowledged`,
)
const countOfGroup = sqlStatement<TaskGroup, { n: number }>(
  'select n from task_counts where kind = :kind and status = :status and acknowledged = :acknowledged',
)
const setCount = sqlStatement<TaskGroup & { n: number }>(
  `insert into task_counts (kind, status, acknowledged, n) values (:kind, :status, :acknowledged, :n)
   on conflict (kind, status, acknowledged) do update set n = excluded.n`,
)

/** Ids of `wrongTaskCounts`. */
export const taskGroupId = /^([^\0]+)\/([a-z]+)\/([01])$/s

/** @param id as of `wrongTaskCounts` @returns whether the counter was wrong */
export async function recountTasks(tx: Tx, id: string): Promise<boolean> {
  const [, kind, status, acknowledged] = taskGroupId.exec(id) ?? []
  if (kind === undefined || status === undefined) return false
  const group = { kind, status, acknowledged: Number(acknowledged) }
  const { n = 0 } = (await tx.get(rowsOfGroup, group)) ?? {}
  if (n === ((await tx.get(countOfGroup, group))?.n ?? 0)) return false
  await tx.run(setCount, { ...group, n })
  return true
}
