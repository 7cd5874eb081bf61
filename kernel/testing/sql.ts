/** SQL texts of tests, with a `?` for each value. */
import type { Reader, Tx } from '../db/database.ts'
import type { SqlValue } from '../db/statement.ts'
import { type Statement, sqlStatement } from '../db/statement.ts'

type Values = readonly SqlValue[]
type Named = Readonly<Record<string, SqlValue>>

// A statement stays prepared as long as the object lives.
const statements = new Map<string, Statement<Named, never>>()

export const getRow = <R = Record<string, SqlValue>>(read: Reader, text: string, ...values: Values): Promise<R | undefined> =>
  read.get(statementOf<R>(text), named(values))

export const allRows = <R = Record<string, SqlValue>>(read: Reader, text: string, ...values: Values): Promise<R[]> =>
  read.all(statementOf<R>(text), named(values))

export const runSql = (tx: Tx, text: string, ...values: Values): Promise<{ readonly changes: number }> =>
  tx.run(statementOf<never>(text), named(values))

/** Inserts one row. Returns its id. */
export async function insertRow(tx: Tx, text: string, ...values: Values): Promise<number> {
  const row = await getRow<{ id: number }>(tx, `${text} returning id`, ...values)
  if (!row) throw new Error(`no row was inserted: ${text}`)
  return row.id
}

function statementOf<R>(text: string): Statement<Named, R> {
  let count = 0
  const found = statements.get(text) ?? sqlStatement<Named, never>(text.replaceAll('?', () => `:v${++count}`))
  statements.set(text, found)
  return found
}

const named = (values: Values): Named => Object.fromEntries(values.map((value, at) => [`v${at + 1}`, value]))
