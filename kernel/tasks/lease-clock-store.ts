import type { Reader } from '../db/database.ts'
import { sqlStatement } from '../db/statement.ts'

/** The time by which leases begin and expire, in milliseconds. `processMs`: by the clock of this process. */
export type LeaseClock = (reader: Reader, processMs: number) => Promise<number>

const readNow = sqlStatement<{ processMs: number }, { at: number }>({
  sqlite: 'select :processMs as at',
  postgres: 'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as at',
})

/** The clock that all processes on the database share: on SQLite that of this process, on PostgreSQL that of the server. */
export const readLeaseClock: LeaseClock = async (reader, processMs) => (await reader.get(readNow, { processMs }))?.at ?? processMs
