import type { QueryCreator } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { type Params, statementsOver } from '../../db/statement.ts'
import type { FailuresBefore } from '../task-control.ts'
import { type TaskRecord, taskColumns } from '../task-record.ts'
import { countTasks } from './counter-store.ts'
import { findOpenTask } from './queue-store.ts'
import type { TaskTables } from './task-tables.ts'

const statement = statementsOver<TaskTables>()

const lock = statement((db, { id }: Params<{ id: number }>) => db.selectFrom('tasks').select(taskColumns).where('id', '=', id).forUpdate())

const revive = statement((db, { id, nowMs }: Params<{ id: number; nowMs: number }>) =>
  db
    .updateTable('tasks')
    .set({
      status: 'pending',
      run_at: nowMs,
      attempts: 0,
      is_backing_off: 0,
      wait_reason: null,
      message: null,
      error_code: null,
      last_error: null,
      failed_at: null,
      finished_at: null,
      acknowledged_at: null,
      updated_at: nowMs,
    })
    .where('id', '=', id)
    .returning(taskColumns),
)

const dismiss = (db: QueryCreator<TaskTables>, nowMs: Params<{ nowMs: number }>['nowMs']) =>
  db.updateTable('tasks').set({ acknowledged_at: nowMs, updated_at: nowMs })

const acknowledge = statement((db, { id, nowMs }: Params<{ id: number; nowMs: number }>) => dismiss(db, nowMs).where('id', '=', id))

interface Page {
  readonly beforeMs: number
  readonly nowMs: number
  readonly limit: number
}

const oldestFailures = (db: QueryCreator<TaskTables>, { beforeMs, limit }: Params<Page>) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('status', '=', 'failed')
    .where('acknowledged_at', 'is', null)
    .where('failed_at', '<', beforeMs)
    .orderBy('failed_at')
    .limit(limit)

/** Two statements, because each has its own index. */
const acknowledgePage = statement((db, page: Params<Page>) =>
  dismiss(db, page.nowMs).where('id', 'in', oldestFailures(db, page)).returning('kind'),
)

const acknowledgePageOfKind = statement((db, page: Params<Page & { kind: string }>) =>
  dismiss(db, page.nowMs)
    .where('id', 'in', oldestFailures(db, page).where('kind', '=', page.kind))
    .returning('kind'),
)

/** The row, which no other transaction changes until the commit. */
export async function lockTask(tx: Tx, id: number): Promise<TaskRecord | undefined> {
  return tx.get(lock, { id })
}

/** failed → pending, with all attempts. Undefined when a newer task with its key is open. */
export async function reviveTask(tx: Tx, task: TaskRecord, nowMs: number): Promise<TaskRecord | undefined> {
  if (task.key !== null && (await tx.get(findOpenTask, { key: task.key })) !== undefined) return undefined
  const revived = await tx.get(revive, { id: task.id, nowMs })
  await countTasks(tx, task.kind, { status: 'failed', isAcknowledged: task.acknowledgedAtMs !== null }, -1)
  await countTasks(tx, task.kind, { status: 'pending' }, 1)
  return revived
}

export async function acknowledgeTask(tx: Tx, task: TaskRecord, nowMs: number): Promise<void> {
  await tx.run(acknowledge, { id: task.id, nowMs })
  await countDismissed(tx, task.kind, 1)
}

/** Acknowledges failures, oldest first, and returns their number. */
export async function acknowledgeFailures(tx: Tx, { kind, ...page }: FailuresBefore, nowMs: number): Promise<number> {
  const rows =
    kind === undefined ? await tx.all(acknowledgePage, { ...page, nowMs }) : await tx.all(acknowledgePageOfKind, { ...page, kind, nowMs })
  for (const [found, { length }] of Map.groupBy(rows, (row) => row.kind)) await countDismissed(tx, found, length)
  return rows.length
}

async function countDismissed(tx: Tx, kind: string, rows: number): Promise<void> {
  await countTasks(tx, kind, { status: 'failed' }, -rows)
  await countTasks(tx, kind, { status: 'failed', isAcknowledged: true }, rows)
}
