/** Unique, increasing timestamps of failures, so that a dismissal affects exactly the failures of its preview. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { type Params, statementsOver } from '../../db/statement.ts'
import type { TaskTables } from './task-tables.ts'

const statement = statementsOver<TaskTables>()

const advance = statement((db, { nowMs }: Params<{ nowMs: number }>) =>
  db
    .updateTable('task_failure_clock')
    .set({ at: sql<number>`case when at >= ${nowMs} then at + 1 else ${nowMs} end` })
    .returning('at'),
)

const reach = statement((db, { nowMs }: Params<{ nowMs: number }>) =>
  db
    .updateTable('task_failure_clock')
    .set({ at: sql<number>`case when at >= ${nowMs} then at else ${nowMs} end` })
    .returning('at'),
)

/** A timestamp after every recorded failure and every earlier preview. */
export async function nextFailureMs(tx: Tx, nowMs: number): Promise<number> {
  return required(await tx.get(advance, { nowMs }))
}

/** A timestamp after every failure so far and not after any later one. */
export async function fenceFailures(tx: Tx, nowMs: number): Promise<number> {
  return required(await tx.get(reach, { nowMs: nowMs - 1 })) + 1
}

function required(row: { readonly at: number } | undefined): number {
  if (row === undefined) throw new Error('the clock of failures is missing from the database')
  return row.at
}
