import { bindParams, type CompiledStatement, compileStatement } from '../db/compile-statement.ts'
import type { Reader, Tx } from '../db/database.ts'
import type { Statement } from '../db/statement.ts'

const compiled = new WeakMap<Statement, CompiledStatement>()

/** Runs statements without promises, in jobs that do not await. Works only on SQLite. */
export function onSqlite(connection: Reader | Tx) {
  return {
    get<P, R>(statement: Statement<P, R>, params: P): R | undefined {
      const { sql, values } = bind(statement, params)
      return connection.get<R>(sql, ...values)
    },
    run<P>(statement: Statement<P>, params: P): void {
      const { sql, values } = bind(statement, params)
      ;(connection as Tx).run(sql, ...values)
    },
  }
}

function bind<P>(statement: Statement<P>, params: P) {
  const found = compiled.get(statement as Statement) ?? compileStatement(statement as Statement, 'sqlite')
  compiled.set(statement as Statement, found)
  return { sql: found.sql, values: bindParams(found, params, 'sqlite') }
}
