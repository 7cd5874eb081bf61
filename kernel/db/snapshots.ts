import type { Reader } from './database.ts'
import { SqliteTx } from './sqlite-reader.ts'
import type { StatementCache } from './statements.ts'
import { createTurnGuard } from './turn-guard.ts'

/** Read transactions, one after the other, on a connection that the first one opens. */
export function createSnapshots(open: () => Promise<StatementCache>) {
  const guard = createTurnGuard('a snapshot')
  let statements: StatementCache | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function take<T>(look: (read: Reader) => Promise<T>): Promise<T> {
    statements ??= await open()
    statements.execute('run', 'BEGIN')
    try {
      return await new SqliteTx(statements).perform(look, guard)
    } finally {
      statements.execute('run', 'ROLLBACK')
    }
  }

  return {
    take<T>(look: (read: Reader) => Promise<T>): Promise<T> {
      const taken = last.then(() => take(look))
      // Its caller gets the error.
      last = taken.catch(() => {})
      return taken
    },
    close: () => last,
  }
}
