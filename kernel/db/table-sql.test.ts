import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allRows, runSql } from '../testing/sql.ts'
import { defineMigration } from './migration.ts'
import { openDatabase } from './open.ts'
import { createTable, rebuildTable } from './table-sql.ts'

const first = defineMigration('0001-boxes', [
  createTable({ name: 'boxes', columns: ({ id }) => ({ id }) }),
  createTable({ name: 'items', columns: ({ id }) => ({ id, box_id: 'bigint not null references boxes (id) on delete cascade' }) }),
  'insert into boxes (id) values (1), (7)',
  'insert into items (id, box_id) values (1, 1)',
  'delete from boxes where id = 7',
])
const second = defineMigration('0002-sizes', [
  { sqlite: 'alter table boxes add column size integer not null default 1' },
  ...rebuildTable({ name: 'boxes', columns: ({ id }) => ({ id, size: 'integer not null check (size > 0)' }) }),
])

test('a table that others refer to is made anew with its rows and ids, and its keys are enforced from then on', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-rebuild-'))
  const dsn = join(dir, 'test.db')
  {
    await using before = await openDatabase({ dsn, schemas: [{ name: 'test', migrations: [first] }] })
    await before.migrate()
  }
  {
    await using database = await openDatabase({ dsn, schemas: [{ name: 'test', migrations: [first, second] }] })
    expect(await database.migrate()).toEqual(['test/0002-sizes'])
    expect(await allRows(database.read, 'select * from items')).toEqual([{ id: 1, box_id: 1 }])
    await expect(database.write((tx) => runSql(tx, 'insert into items (box_id) values (5)'))).rejects.toThrow(/FOREIGN KEY/)
    await expect(database.write((tx) => runSql(tx, 'insert into boxes (size) values (0)'))).rejects.toThrow(/CHECK/)
    await database.write((tx) => runSql(tx, 'insert into boxes (size) values (2)'))
    expect(await allRows(database.read, 'select * from boxes')).toEqual([
      { id: 1, size: 1 },
      { id: 8, size: 2 },
    ])
  }
  rmSync(dir, { recursive: true })
})
