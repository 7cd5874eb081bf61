import { lastRow, type NativeClient, type NativePool, type NativeResult, textQuery } from './native.ts'
import { refused } from './postgres-error.ts'

const findPid = 'select pg_backend_pid() as pid'

/**
 * Throws when a pooler gives the server session of this connection to another one after each transaction: then the lock of the database
 * excludes no other svc. A server tells a new connection the number of its session, a pooler a number of its own. Such a pooler gives
 * another connection the session that `client` does not use at the moment. `WriterSession.prove` finds those that chose another one.
 */
export async function refuseTransactionPooling(client: NativeClient, pool: NativePool, name: string): Promise<void> {
  const own = pidOf(await client.query(textQuery(findPid)))
  if (client.processID === own) return
  const other = await pool.connect()
  try {
    const taken = pidOf(await other.query(textQuery(`begin; ${findPid}`)))
    if (taken === own || pidOf(await client.query(textQuery(findPid))) !== own) throw refused(name, sharesSessions(name))
  } finally {
    other.release(true)
  }
}

const pidOf = (answers: NativeResult): number | undefined => lastRow<{ readonly pid: number }>(answers)?.pid

export const sharesSessions = (name: string): string =>
  `the database ${name} is behind a pooler that changes the server session between transactions, so its lock excludes no other svc; ` +
  'set pool_mode = session for it in the pooler, or name the server itself in database.dsn'
