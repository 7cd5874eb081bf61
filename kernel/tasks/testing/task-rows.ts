/** Inserts task rows as the engine would leave them, without running tasks. For tests and benchmarks with many rows. */
import type { Tx } from '../../db/database.ts'
import { type Params, sqlStatement, statementsOver } from '../../db/statement.ts'
import { countTasks } from '../rows/counter-store.ts'
import type { TaskTables } from '../rows/task-tables.ts'
import type { TaskStatus } from '../task-record.ts'

/** Far in the future, so that a pending row is listed and not run. */
const neverMs = 10 * 365 * 86_400_000

interface TaskRow {
  readonly kind: string
  readonly status: TaskStatus
  /** When it failed, finished or was enqueued. */
  readonly atMs: number
  /** Error code of a failure. */
  readonly acknowledgedAtMs?: number
}

interface InsertedRow {
  readonly kind: string
  readonly status: TaskStatus
  readonly runAtMs: number
  readonly failedAtMs: number | null
  readonly acknowledgedAtMs: number | null
  readonly endedAtMs: number | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

const statement = statementsOver<TaskTables>()

const insert = statement((db, row: Params<InsertedRow>) =>
  db
    .insertInto('tasks')
    .values({
      kind: row.kind,
      subject_type: 'thing',
      subject_key: 'a',
      args: '{"name":"a"}',
      status: row.status,
      run_at: row.runAtMs,
      failed_at: row.failedAtMs,
      acknowledged_at: row.acknowledgedAtMs,
      created_at: row.createdAtMs,
      updated_at: row.updatedAtMs,
      started_at: row.endedAtMs,
      finished_at: row.endedAtMs,
    })
    .returning('id'),
)

const reachFailure = sqlStatement<{ atMs: number }>('update task_failure_clock set at = case when at > :atMs then at else :atMs end')

export async function insertTaskRow(tx: Tx, { kind, status, atMs, acknowledgedAtMs }: TaskRow): Promise<number> {
  const isEnded = status !== 'pending' && status !== 'running'
  await countTasks(tx, kind, { status, isAcknowledged: acknowledgedAtMs !== undefined }, 1)
  if (status === 'failed') await tx.run(reachFailure, { atMs })
  const inserted = await tx.get(insert, {
    kind,
    status,
    runAtMs: status === 'pending' ? atMs + neverMs : atMs,
    failedAtMs: status === 'failed' ? atMs : null,
    acknowledgedAtMs: acknowledgedAtMs ?? null,
    endedAtMs: isEnded ? atMs : null,
    createdAtMs: atMs,
    updatedAtMs: acknowledgedAtMs ?? atMs,
  })
  return (inserted as { readonly id: number }).id
}
