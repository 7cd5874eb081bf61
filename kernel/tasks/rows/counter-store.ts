/** Counts of tasks, changed in the transactions that change the rows, so that nothing ever counts the table. */
import type { ExpressionBuilder } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { type Params, statementsOver } from '../../db/statement.ts'
import type { TaskStatus } from '../task-record.ts'
import type { TaskTables } from './task-tables.ts'

const statement = statementsOver<TaskTables>()

interface Added {
  readonly kind: string
  readonly status: TaskStatus
  readonly acknowledged: number
  readonly by: number
}

const addToCount = statement((db, { kind, status, acknowledged, by }: Params<Added>) =>
  db
    .insertInto('task_counts')
    .values({ kind, status, acknowledged, n: by })
    .onConflict((conflict) => conflict.columns(['kind', 'status', 'acknowledged']).doUpdateSet({ n: sumOf })),
)

interface Moved {
  readonly kind: string
  readonly from: TaskStatus
  readonly to: TaskStatus
  readonly loss: number
  readonly gain: number
}

const move = statement((db, { kind, from, to, loss, gain }: Params<Moved>) =>
  db
    .insertInto('task_counts')
    .values([
      { kind, status: from, acknowledged: 0, n: loss },
      { kind, status: to, acknowledged: 0, n: gain },
    ])
    .onConflict((conflict) => conflict.columns(['kind', 'status', 'acknowledged']).doUpdateSet({ n: sumOf })),
)

const sumOf = ({
  eb,
}: {
  readonly eb: ExpressionBuilder<TaskTables & { excluded: TaskTables['task_counts'] }, 'task_counts' | 'excluded'>
}) => eb('task_counts.n', '+', eb.ref('excluded.n'))

/** Rows that enter a state (positive) or leave it (negative). */
export async function countTasks(
  tx: Tx,
  kind: string,
  { status, isAcknowledged = false }: { readonly status: TaskStatus; readonly isAcknowledged?: boolean },
  by: number,
): Promise<void> {
  await tx.run(addToCount, { kind, status, acknowledged: isAcknowledged ? 1 : 0, by })
}

/** Rows that go from one state to another, which is not that of a dismissed failure. */
export async function moveCounts(tx: Tx, kind: string, [from, to]: readonly [from: TaskStatus, to: TaskStatus], rows = 1): Promise<void> {
  await tx.run(move, { kind, from, to, loss: -rows, gain: rows })
}
