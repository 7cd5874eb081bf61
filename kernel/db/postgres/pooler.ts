import { lastRow, type NativeClient, type NativePool, textQuery } from './native.ts'
import { refused } from './postgres-error.ts'

/** Connections that look for the session. The pool of the driver has one more. */
const othersMax = 8

const findPid = 'select pg_backend_pid() as pid'

/**
 * Throws when a pooler gives the server session of this connection, whose number is `own`, to others after each transaction: then the lock of
 * the database excludes no other svc. A server tells a new connection the number of its session, a pooler a number of its own. Such a pooler
 * gives the sessions that are free, also this one, to transactions of other connections. `WriterSession.prove` finds poolers that did not.
 */
export async function refuseTransactionPooling(client: NativeClient, own: number, pool: NativePool, name: string): Promise<void> {
  if (client.processID === own) return
  const pidOf = async (asked: NativeClient, text: string) => lastRow<{ readonly pid: number }>(await asked.query(textQuery(text)))?.pid
  const others: NativeClient[] = []
  try {
    while (others.length < othersMax) {
      const other = await pool.connect()
      others.push(other)
      const isShared = (await pidOf(other, `begin; ${findPid}`)) === own || (await pidOf(client, findPid)) !== own
      if (isShared) throw refused(name, sharesSessions(name))
    }
  } finally {
    for (const other of others) other.release(true)
  }
}

export const sharesSessions = (name: string): string =>
  `the database ${name} is behind a pooler that changes the server session between transactions, so its lock excludes no other svc; ` +
  'set pool_mode = session for it in the pooler, or name the server itself in database.dsn'
