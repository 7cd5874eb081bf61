import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineMigration } from '../db/migration.ts'
import { openDatabase } from '../db/open.ts'
import { sqlStatement } from '../db/statement.ts'
import { taskMigrations } from '../tasks/rows/task-migrations.ts'
import { copySqliteTemplate } from './sqlite-template.ts'
import { openTestDatabase, runsOnSqlite } from './test-database.ts'

const schemas = [{ name: 'kernel', migrations: taskMigrations }]
const facts = sqlStatement('select sql as fact from sqlite_master union all select name from svc_migration')

test('a copied database is one that was migrated', async () => {
  await using kept = await openTestDatabase([])
  const [migrated, copied] = [join(kept.dir, 'migrated.db'), join(kept.dir, 'sub', 'copied.db')]
  await copySqliteTemplate(copied, schemas)
  await using first = await openDatabase({ dsn: migrated, schemas })
  await first.migrate()
  expect(statSync(copied).mode & 0o777).toBe(0o600)
  expect(existsSync(`${copied}-wal`)).toBe(false)
  await using second = await openDatabase({ dsn: copied, schemas })
  expect(await second.migrate()).toEqual([])
  const expected = await first.read.all(facts)
  expect(expected.length).toBeGreaterThan(5)
  expect(await second.read.all(facts)).toEqual(expected)
})

test.runIf(runsOnSqlite())(
  'migrations of the same name with other statements make another database, and an existing one stays',
  async () => {
    const tableNamed = (name: string) => [{ name: 'test', migrations: [defineMigration('0001-init', [`create table ${name} (id int)`])] }]
    await using a = await openTestDatabase(tableNamed('a'))
    await using b = await openTestDatabase(tableNamed('b'))
    const tables = sqlStatement("select name from sqlite_master where name in ('a', 'b')")
    expect([await a.read.all(tables), await b.read.all(tables)]).toEqual([[{ name: 'a' }], [{ name: 'b' }]])
    const bytes = readFileSync(a.dsn)
    await copySqliteTemplate(a.dsn, tableNamed('b'))
    expect(readFileSync(a.dsn)).toEqual(bytes)
  },
)
