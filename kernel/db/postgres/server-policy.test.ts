import { expect, onTestFinished, test } from 'vitest'
import { hasPostgres, newPostgresDatabase, startStandby } from '../../testing/postgres.ts'
import { openTestDatabase } from '../../testing/test-database.ts'
import { openDatabase } from '../open.ts'
import { type NoParams, sqlStatement } from '../statement.ts'
import { readOnlyReason, unsafeSettings } from './server-policy.ts'

const commitSetting = sqlStatement<NoParams, { value: string }>("select current_setting('synchronous_commit') as value")
const onPostgres = test.skipIf(!hasPostgres())

/** Opens the database after the statement was run there. */
async function openAfter(text: (name: string) => string) {
  const dsn = await newPostgresDatabase()
  {
    await using database = await openTestDatabase([], { dsn })
    await database.write((tx) => tx.run(sqlStatement(text(new URL(dsn).pathname.slice(1)))))
  }
  const database = await openTestDatabase([], { dsn })
  onTestFinished(() => database[Symbol.asyncDispose]())
  return database
}

onPostgres.each([
  ['off', 'on'],
  ['local', 'on'],
  ['remote_write', 'on'],
  ['on', 'on'],
  ['remote_apply', 'remote_apply'],
])('I-01: with synchronous_commit = %s of the database the session that writes commits with %s', async (given, used) => {
  const { write } = await openAfter((name) => `alter database ${name} set synchronous_commit = ${given}`)
  expect(await write((tx) => tx.get(commitSetting))).toEqual({ value: used })
})

onPostgres('I-01: synchronous_commit of the URL is raised too', async () => {
  await using database = await openTestDatabase([], { dsn: `${await newPostgresDatabase()}?options=-c%20synchronous_commit%3Doff` })
  expect(await database.write((tx) => tx.get(commitSetting))).toEqual({ value: 'on' })
})

onPostgres('I-01: a server without fsync and full_page_writes is refused with the reason, and allowed with a warning', async () => {
  const dsn = await newPostgresDatabase()
  const reason = /may lose writes: fsync is off, .* and full_page_writes is off, /
  await expect(openDatabase({ dsn, schemas: [] })).rejects.toThrow(reason)
  await expect(openDatabase({ dsn, schemas: [] })).rejects.toThrow('set fsync = on in the configuration of the server')
  const warnings: string[] = []
  await using _allowed = await openDatabase({ dsn, schemas: [], allowsUnsafe: true, onWarning: (text) => warnings.push(text) })
  expect(warnings).toEqual([expect.stringMatching(reason)])
})

onPostgres('a database whose transactions are read-only is refused', async () => {
  const opening = openAfter((name) => `alter database ${name} set default_transaction_read_only = on`)
  await expect(opening).rejects.toThrow(/takes no writes: its transactions are read-only; set default_transaction_read_only = off/)
})

onPostgres('a standby is refused, and accepted with its default settings when it is the primary', async () => {
  const { dsn, promote } = await startStandby()
  await expect(openDatabase({ dsn, schemas: [] })).rejects.toThrow(/takes no writes: it is a standby or still recovering; name the primary/)
  promote()
  await using database = await openDatabase({ dsn, schemas: [], onWarning: (text) => expect.unreachable(text) })
  expect(await database.write(() => 'written')).toBe('written')
})

test.each([
  [{ fsync: 'on', fullPageWrites: 'on' }, []],
  [{ fsync: 'off', fullPageWrites: 'on' }, ['fsync is off']],
  [{ fsync: 'on', fullPageWrites: 'off' }, ['full_page_writes is off']],
])('the settings %o have the problems %j', (settings, problems) => {
  expect(unsafeSettings(settings).map(({ problem }) => problem)).toEqual(problems.map((text) => expect.stringContaining(text)))
})

test('a server that takes writes has no reason against it', () => {
  expect(readOnlyReason({ readOnly: 'off', recovering: 0 })).toBeUndefined()
})
