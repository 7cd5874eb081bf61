import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { type Params, statementsOver } from '../../db/statement.ts'
import { countTasks } from './counter-store.ts'
import type { TaskTables } from './task-tables.ts'

const statement = statementsOver<TaskTables>()

const endedAt = sql<number>`coalesce(acknowledged_at, finished_at)`

const remove = statement((db, { beforeMs, limit }: Params<{ beforeMs: number; limit: number }>) =>
  db
    .deleteFrom('tasks')
    .where('id', 'in', (expired) =>
      expired
        .selectFrom('tasks')
        .select('id')
        // The condition of the partial index: without it, no engine would use the index.
        .where((row) => row.or([row('status', 'in', ['completed', 'cancelled']), row('acknowledged_at', 'is not', null)]))
        .where(endedAt, '<', beforeMs)
        .orderBy(endedAt)
        .limit(limit),
    )
    .returning(['kind', 'status']),
)

/** Deletes up to `limit` tasks that finished or were acknowledged before the given time. */
export async function deleteExpired(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const rows = await tx.all(remove, { beforeMs, limit })
  for (const group of Map.groupBy(rows, ({ kind, status }) => `${status} ${kind}`).values()) {
    const [{ kind, status }] = group as [(typeof rows)[number]]
    await countTasks(tx, kind, { status, isAcknowledged: status === 'failed' }, -group.length)
  }
  return rows.length
}
