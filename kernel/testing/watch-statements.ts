import type { DatabaseSync } from 'node:sqlite'
import { compileStatement } from '../db/compile-statement.ts'
import type { Reader } from '../db/database.ts'
import { SqliteReader } from '../db/sqlite/sqlite-reader.ts'
import { type NativeDatabase, StatementCache } from '../db/sqlite/statements.ts'
import type { Statement } from '../db/statement.ts'
import { allRows } from './sql.ts'

const watched = new Set<string | symbol>(['get', 'all', 'run'])

/** The same reader or transaction; `onSql` gets the SQLite text of each statement before it runs. */
export function watchStatements<R extends Reader>(reader: R, onSql: (sql: string) => void): R {
  return new Proxy(reader, {
    get(target, name) {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      if (!watched.has(name)) return member.bind(target)
      return (statement: Statement, params: unknown) => {
        onSql(compileStatement(statement, 'sqlite').sql)
        return member.call(target, statement, params)
      }
    },
  })
}

/** The steps by which SQLite executes the texts, in their order, such as `SCAN tasks`. */
export async function queryPlan(reader: Reader, texts: Iterable<string>): Promise<readonly string[]> {
  const steps: string[] = []
  for (const sql of texts) {
    const params = Array<number>(sql.split('?').length - 1).fill(0)
    const rows = await allRows<{ detail: string }>(reader, `explain query plan ${sql}`, ...params)
    steps.push(...rows.map(({ detail }) => detail))
  }
  return steps
}

/** Runs statements on a database file that a test opened itself. */
export const readerOf = (database: Pick<DatabaseSync, 'prepare'>, path: string): Reader =>
  new SqliteReader(new StatementCache(database as unknown as NativeDatabase, path))
