import type { Reader } from '../database.ts'
import { createTurnGuard } from '../turn-guard.ts'
import { SqliteTx } from './sqlite-reader.ts'
import type { StatementCache } from './statements.ts'

/** Read transactions, one after the other, on a connection that the first one opens. */
export function createSnapshots(open: () => Promise<StatementCache>) {
  const guard = createTurnGuard('a snapshot')
  let connection: ReturnType<typeof connect> | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function take<T>(look: (read: Reader) => Promise<T>): Promise<T> {
    connection ??= connect(await open())
    const { statements, begin, end } = connection
    begin()
    const tx = new SqliteTx(statements)
    try {
      const seen = await guard(look(tx))
      const failure = tx.end()
      if (failure) throw failure
      return seen
    } finally {
      tx.end()
      end()
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

const connect = (statements: StatementCache) => ({
  statements,
  begin: statements.command('BEGIN'),
  end: statements.command('ROLLBACK'),
})
