import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { allRows, getRow, runSql } from '../testing/sql.ts'
import type { Tx } from './database.ts'
import { defineMigration } from './migration.ts'
import { openDatabase } from './open.ts'
import type { OpenDatabase } from './open-request.ts'

const cleanUps: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const notes = defineMigration('0001-notes', ['create table notes (id integer primary key, text text not null unique)'])

async function open(dir = newDir()): Promise<OpenDatabase> {
  const database = await openDatabase({ dsn: join(dir, 'db', 'test.db'), schemas: [{ name: 'test', migrations: [notes] }] })
  cleanUps.push(async () => database[Symbol.asyncDispose]())
  await database.migrate()
  return database
}

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-db-'))
  cleanUps.push(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const insert = (text: string) => (tx: Tx) => runSql(tx, 'insert into notes (text) values (?)', text)
const texts = async (database: OpenDatabase) =>
  (await allRows<{ text: string }>(database.read, 'select text from notes order by id')).map(({ text }) => text)

test('migrations are applied once and in order; those of a later plugin are pending until then', async () => {
  const dir = newDir()
  const first = await open(dir)
  expect(await first.migrate()).toEqual([])
  const more = defineMigration('0002-more', ['create table more (id integer primary key)'])
  const second = await openDatabase({ dsn: join(dir, 'db', 'test.db'), schemas: [{ name: 'test', migrations: [notes, more] }] })
  cleanUps.push(async () => second[Symbol.asyncDispose]())
  expect(await second.pendingMigrations()).toEqual(['test/0002-more'])
  expect(await second.migrate()).toEqual(['test/0002-more'])
})

test('writes of one turn are committed together, and a failing one rolls back alone', async () => {
  const database = await open()
  const results = await Promise.allSettled([
    database.write(insert('a')),
    database.write(async (tx) => {
      await insert('b')(tx)
      throw new Error('no')
    }),
    database.write(insert('a')),
    database.write(insert('c')),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await texts(database)).toEqual(['a', 'c'])
})

test('a write is durable when it resolves: another connection sees it', async () => {
  const dir = newDir()
  const database = await open(dir)
  await database.write(insert('a'))
  using other = new DatabaseSync(join(dir, 'db', 'test.db'), { readOnly: true })
  expect(other.prepare('select text from notes').all()).toEqual([{ text: 'a' }])
})

test('commit effects run after the commit, and never when the job fails', async () => {
  const database = await open()
  const seen: Promise<string[]>[] = []
  await database.write(async (tx) => {
    await insert('a')(tx)
    tx.afterCommit(() => seen.push(texts(database)))
  })
  await expect(
    database.write((tx) => {
      tx.afterCommit(() => seen.push(texts(database)))
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(await Promise.all(seen)).toEqual([['a']])
})

test('a failing effect rolls back nothing and stops no later write', async () => {
  const database = await open()
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  await database.write(async (tx) => {
    await insert('a')(tx)
    tx.afterCommit(() => {
      throw new Error('broken')
    })
  })
  await database.write(insert('b'))
  expect((await warned).cause).toMatchObject({ message: 'broken' })
  expect(await texts(database)).toEqual(['a', 'b'])
})

test('a long queue of writes does not block the event loop', async () => {
  const database = await open()
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  await Promise.all(Array.from({ length: 2000 }, (_, i) => database.write(insert(`note ${i}`))))
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
  expect(await texts(database)).toHaveLength(2000)
})

test('a closed database has finished the accepted writes and refuses new ones', async () => {
  const dir = newDir()
  const database = await open(dir)
  const last = database.write(insert('last'))
  await database[Symbol.asyncDispose]()
  await expect(last).resolves.toBeDefined()
  await expect(database.write(insert('late'))).rejects.toThrow('closed')
})

test('a job that builds SQL texts from values fails alone, and later writes continue', async () => {
  const database = await open()
  const wasteful = database.write(async (tx) => {
    for (let n = 0; n < 2000; n++) await getRow(tx, `select ${n}`)
  })
  await expect(wasteful).rejects.toThrow('statements; the latest is: select')
  // Known statements still work; new ones are refused.
  expect(await database.write((tx) => getRow(tx, 'select 0'))).toEqual({ 0: 0 })
})

/** Lets the database grow no further, as a full disk does. Undone by a larger number. */
const limitPages = (database: OpenDatabase, pages: number) => database.write((tx) => getRow(tx, `pragma max_page_count = ${pages}`))
const fill = (database: OpenDatabase) =>
  database.write(async (tx) => {
    for (let n = 0; n < 200; n++) await insert(`${n} `.repeat(1000))(tx)
  })

test('a full disk fails every write of the group, and later writes continue', async () => {
  const database = await open()
  await limitPages(database, 40)
  const large = fill(database)
  const beside = database.write(insert('beside'))
  for (const refused of [large, beside]) await expect(refused).rejects.toMatchObject({ code: 'database_full', status: 507 })
  await expect(large).rejects.toMatchObject({ cause: { code: 'SQLITE_FULL' } })
  expect(await database.write(insert('later'))).toBeDefined()
})

test('a full disk is reported, with the file, until a test write succeeds again', async () => {
  const dir = newDir()
  const faults: (Error | undefined)[] = []
  const dsn = join(dir, 'test.db')
  const database = await openDatabase({
    dsn,
    schemas: [{ name: 'test', migrations: [notes] }],
    onWriteFault: (fault) => faults.push(fault),
  })
  cleanUps.push(async () => database[Symbol.asyncDispose]())
  await database.migrate()
  expect(await database.ping()).toBeUndefined()
  await limitPages(database, 1)
  await expect(fill(database)).rejects.toMatchObject({ code: 'database_full' })
  await expect(fill(database)).rejects.toMatchObject({ code: 'database_full' })
  expect(await database.ping()).toBe('disk full')
  await limitPages(database, 1_000_000)
  await expect.poll(() => database.ping()).toBeUndefined()
  expect(faults).toHaveLength(2)
  expect(faults[0]?.cause).toMatchObject({ message: `the database ${dsn}: database or disk is full (SQLITE_FULL)` })
  expect(faults[1]).toBeUndefined()
})

test('an error of SQLite names the file, in a write, a read and at the start', async () => {
  const dir = newDir()
  const database = await open(dir)
  const path = join(dir, 'db', 'test.db')
  await database.write(insert('a'))
  await expect(database.write(insert('a'))).rejects.toThrow(`the database ${path}: UNIQUE constraint failed`)
  await expect(database.write(insert('a'))).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' })
  await expect(() => getRow(database.read, 'select x from nowhere')).rejects.toThrow(
    `the database ${path}: no such table: nowhere (SQLITE_ERROR)`,
  )
  const broken = join(dir, 'broken.db')
  writeFileSync(broken, 'this is no database '.repeat(500))
  await expect(openDatabase({ dsn: broken, schemas: [] })).rejects.toThrow(`the database ${broken}: file is not a database`)
})

test('a database with migrations of a newer svc is refused unchanged; migrations of a disabled plugin are accepted', async () => {
  const dir = newDir()
  const dsn = join(dir, 'test.db')
  const later = defineMigration('0002-later', ['create table later (id integer primary key)'])
  const own = { name: 'test', migrations: [notes] }
  {
    await using newer = await openDatabase({ dsn, schemas: [{ name: 'test', migrations: [notes, later] }] })
    await newer.migrate()
  }
  const more = defineMigration('0003-more', ['create table more (id integer primary key)'])
  const older = openDatabase({ dsn, schemas: [{ name: 'test', migrations: [notes, more] }] })
  await expect(older).rejects.toThrow(
    new RegExp(`^the database ${dsn} has migrations that svc \\S+ does not know \\(test/0002-later\\): it was used by a newer svc`),
  )
  await using again = await openDatabase({ dsn, schemas: [], otherSchemas: [{ ...own, migrations: [notes, later] }] })
  expect(await allRows(again.read, 'select name from svc_migration')).toHaveLength(2)
})

test('the database files are private, also those that an earlier version made readable', async () => {
  const dir = newDir()
  const modes = () => readdirSync(join(dir, 'db')).map((name) => `${name} ${(statSync(join(dir, 'db', name)).mode & 0o777).toString(8)}`)
  const all = ['test.db 600', 'test.db-shm 600', 'test.db-wal 600']
  const before = process.umask(0)
  try {
    const first = await open(dir)
    expect(modes().sort()).toEqual(all)
    await first[Symbol.asyncDispose]()
    chmodSync(join(dir, 'db', 'test.db'), 0o644)
    await open(dir)
    expect(modes().sort()).toEqual(all)
  } finally {
    process.umask(before)
  }
})

test.skipIf(process.getuid?.() !== 0)('a database created by root belongs to the owner of the directory', async () => {
  const dir = newDir()
  const serviceUser = 54_321
  chownSync(dir, serviceUser, serviceUser)
  await open(dir)
  const owners = ['db', 'db/test.db', 'db/test.db-wal', 'db/test.db-shm'].map((name) => statSync(join(dir, name)).uid)
  expect(owners).toEqual([serviceUser, serviceUser, serviceUser, serviceUser])
})
