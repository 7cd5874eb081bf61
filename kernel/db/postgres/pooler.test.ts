import { expect, onTestFinished, test } from 'vitest'
import { hasPgbouncer, startPgbouncer } from '../../testing/pgbouncer.ts'
import { hasPostgres, newPostgresDatabase } from '../../testing/postgres.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { defineMigration } from '../migration.ts'
import type { OpenRequest } from '../open-request.ts'
import { type NoParams, sqlStatement } from '../statement.ts'

const notes = defineMigration('0001-notes', [{ sqlite: 'never on PostgreSQL', postgres: 'create table notes (text text not null)' }])
const schemas = [{ name: 'test', migrations: [notes] }]
const insert = sqlStatement<{ text: string }>('insert into notes (text) values (:text)')
const count = sqlStatement<NoParams, { n: number }>('select count(*) as n from notes')
const sleep = sqlStatement('select pg_sleep(5)::text as slept')
const sleeping = sqlStatement<NoParams, { n: number }>(
  "select count(*) as n from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'",
)
const cancel = sqlStatement(
  "select pg_cancel_backend(pid) as done from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'",
)

async function open(dsn: string, options: Partial<OpenRequest> = {}): Promise<TestDatabase> {
  const database = await openTestDatabase(schemas, { dsn, ...options })
  onTestFinished(async () => database[Symbol.asyncDispose]())
  return database
}

const refusal = /is behind a pooler that changes the server session between transactions.*set pool_mode = session/
const withPgbouncer = test.skipIf(!hasPostgres() || !hasPgbouncer())

withPgbouncer('I-39: two processes behind a pooler in transaction mode are refused, and a direct one still gets the lock', async () => {
  const dsn = await newPostgresDatabase()
  await using pooler = await startPgbouncer(dsn, 'transaction')
  const [first, second] = await Promise.allSettled([open(pooler.dsn), open(pooler.dsn)])
  expect([first, second]).toMatchObject([
    { reason: { message: expect.stringMatching(refusal) } },
    { reason: { message: expect.stringMatching(refusal) } },
  ])
  const direct = await open(dsn)
  expect(await direct.write((tx) => tx.run(insert, { text: 'direct' }))).toEqual({ changes: 1 })
})

withPgbouncer('I-26: behind a pooler in session mode one process writes, and the second one is refused', async () => {
  const dsn = await newPostgresDatabase()
  await using pooler = await startPgbouncer(dsn, 'session')
  const first = await open(pooler.dsn)
  await first.write((tx) => tx.run(insert, { text: 'a' }))
  await expect(open(pooler.dsn)).rejects.toThrow('is in use by another svc')
  await expect(open(dsn)).rejects.toThrow('is in use by another svc')
  await first.write((tx) => tx.run(insert, { text: 'b' }))
  expect(await first.read.get(count)).toEqual({ n: 2 })
})

withPgbouncer('I-39: a pooler that changes to transaction mode ends the process at the first transaction in another session', async () => {
  const dsn = await newPostgresDatabase()
  await using pooler = await startPgbouncer(dsn, 'session')
  const observer = await open(await newPostgresDatabase())
  const stale: string[] = []
  const database = await open(pooler.dsn, { onStale: (error) => stale.push(error.message) })
  const write = () => database.write((tx) => tx.run(insert, { text: 'a' }))
  await pooler.setMode('transaction')
  // Both connections keep their sessions until the end of a transaction. Then the reader gets the last one, that of the writer.
  await database.read.get(count)
  await write()
  const slept = database.read.get(sleep).catch(() => undefined)
  await expect.poll(async () => (await observer.read.get(sleeping))?.n, { timeout: 5000 }).toBe(1)
  await expect(write()).rejects.toThrow(refusal)
  expect(stale).toEqual([expect.stringMatching(refusal)])
  await observer.read.get(cancel)
  await slept
  await expect(write()).rejects.toThrow(refusal)
})
