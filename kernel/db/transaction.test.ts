import { readFile } from 'node:fs/promises'
import { defineEntity, p } from '@mikro-orm/core'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../testing/test-database.ts'
import type { Tx } from './database.ts'
import { defineMigration } from './migration.ts'
import { type NoParams, type Params, sqlStatement, statementsOver, type TablesOf } from './statement.ts'

const noteEntity = defineEntity({
  name: 'Note',
  tableName: 'notes',
  properties: { id: p.integer().primary().autoincrement(), text: p.text() },
})
const notes = defineMigration('0001-notes', ['create table notes (id integer primary key, text text not null unique)'])
const open = () => openTestDatabase([{ name: 'test', migrations: [notes] }])
type TestDatabase = Awaited<ReturnType<typeof open>>

const statement = statementsOver<TablesOf<typeof noteEntity>>()
const insert = statement((db, { text }: Params<{ text: string }>) => db.insertInto('notes').values({ text }))
const all = statement((db) => db.selectFrom('notes').select('text').orderBy('id'))
const wait = () => new Promise((resolve) => setImmediate(resolve))
const foreign = 'a write job awaited something other than its own statements'

const texts = async (database: TestDatabase) => (await database.read.all(all)).map(({ text }) => text)

test('asynchronous jobs of one turn share a commit, and a failing one rolls back alone', async () => {
  await using database = await open()
  const seen: string[][] = []
  const job = (text: string) => async (tx: Tx) => {
    await tx.run(insert, { text })
    // Rows of the same transaction, which the reader sees only after the commit.
    seen.push((await tx.all(all)).map((row) => row.text))
    return text
  }
  const results = await Promise.allSettled([database.write(job('a')), database.write(job('a')), database.write(job('b'))])
  expect(results).toMatchObject([{ value: 'a' }, { reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } }, { value: 'b' }])
  expect(seen).toEqual([['a'], ['a', 'b']])
  expect(await texts(database)).toEqual(['a', 'b'])
})

test('statements of one job may run concurrently', async () => {
  await using database = await open()
  await database.write((tx) => Promise.all(['a', 'b', 'c'].map((text) => tx.run(insert, { text }))))
  expect(await texts(database)).toEqual(['a', 'b', 'c'])
})

const foreignAwaits: Readonly<Record<string, (database: TestDatabase) => Promise<unknown>>> = {
  'a later turn': wait,
  'a timer': () => new Promise((resolve) => setTimeout(resolve, 0)),
  'a file': () => readFile(import.meta.filename),
  'another write': (database) => database.write((tx) => tx.all(all)),
  'a promise that never settles': () => new Promise(() => {}),
}

test.each(Object.entries(foreignAwaits))('a job that awaits %s is stopped and the others are committed', async (_name, foreignWork) => {
  await using database = await open()
  const before = database.write((tx) => tx.run(insert, { text: 'before' }))
  let kept: Tx | undefined
  const stopped = database.write(async (tx) => {
    kept = tx
    tx.afterCommit(() => expect.unreachable('the job is rolled back'))
    await tx.run(insert, { text: 'stopped' })
    await foreignWork(database)
    await tx.run(insert, { text: 'late' })
  })
  const after = database.write((tx) => tx.run(insert, { text: 'after' }))
  await expect(stopped).rejects.toThrow(foreign)
  await Promise.all([before, after])
  await wait()
  expect(await texts(database)).toEqual(['before', 'after'])
  await expect(kept?.run(insert, { text: 'late' })).rejects.toThrow('the transaction has ended')
})

test('a stopped job that fails later causes no unhandled rejection', async () => {
  await using database = await open()
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  const stopped = database.write(async () => {
    await wait()
    throw new Error('late')
  })
  await expect(stopped).rejects.toThrow(foreign)
  await wait()
  await wait()
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

test('a job may await settled promises and functions that use its transaction', async () => {
  await using database = await open()
  const addTwice = async (tx: Tx, text: string) => {
    await tx.run(insert, { text })
    for (let n = 0; n < 100; n++) await Promise.resolve(n)
    await tx.run(insert, { text: `${text} again` })
  }
  await database.write(async (tx) => {
    await addTwice(tx, 'a')
    await Promise.allSettled([addTwice(tx, 'b'), addTwice(tx, 'c')])
  })
  expect(await texts(database)).toHaveLength(6)
})

test('a transaction refuses calls after its job, by statements and by texts', async () => {
  await using database = await open()
  const tx = await database.write((open) => open)
  await expect(tx.run(insert, { text: 'late' })).rejects.toThrow('the transaction has ended')
  expect(() => tx.run("insert into notes (text) values ('late')")).toThrow('the transaction has ended')
  expect(await texts(database)).toEqual([])
})

test('after a failed statement the job can only fail, also when it catches the error', async () => {
  await using database = await open()
  await database.write((tx) => tx.run(insert, { text: 'a' }))
  const caught = database.write(async (tx) => {
    await tx.run(insert, { text: 'a' }).catch(() => {})
    await tx.run(insert, { text: 'b' }).catch(() => {})
  })
  await expect(caught).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' })
  expect(await texts(database)).toEqual(['a'])
})

test('a job that catches a full disk commits nothing outside of its transaction', async () => {
  await using database = await open()
  await database.write((tx) => tx.get('pragma max_page_count = 20'))
  const catching = database.write((tx) => {
    for (let n = 0; n < 200; n++) {
      try {
        tx.run('insert into notes (text) values (?)', `${n} `.repeat(1000))
      } catch {
        tx.run("insert into notes (text) values ('beside')")
      }
    }
  })
  await expect(catching).rejects.toMatchObject({ code: 'database_full' })
  expect(await texts(database)).toEqual([])
})

test('more jobs than one commit takes leave the event loop free between commits', async () => {
  await using database = await open()
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  await Promise.all(Array.from({ length: 1000 }, (_, n) => database.write(async (tx) => tx.run(insert, { text: `note ${n}` }))))
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
  expect(await texts(database)).toHaveLength(1000)
})

const count = sqlStatement<NoParams, { n: number }>('select count(*) as n from notes')

test('a snapshot sees one state, while other reads see a commit at once', async () => {
  await using database = await open()
  const write = (text: string) => database.write((tx) => tx.run(insert, { text }))
  await write('a')
  let written: Promise<unknown> | undefined
  const [first, second] = await database.snapshot(async (read) => {
    const before = await read.get(count)
    written = write('b')
    return [before, await read.get(count)]
  })
  expect(second).toEqual(first)
  await written
  expect(await database.read.get(count)).toEqual({ n: 2 })
  expect(await database.snapshot((read) => read.get(count))).toEqual({ n: 2 })
})

test('snapshots of one turn follow each other, and one that awaits something else is stopped', async () => {
  await using database = await open()
  const looks = [1, 2, 3].map(() => database.snapshot(async (read) => [await read.get(count), await read.get(count)]))
  const stopped = database.snapshot(async (read) => {
    await wait()
    return read.get(count)
  })
  const last = database.snapshot((read) => read.get(count))
  await expect(stopped).rejects.toThrow('a snapshot awaited something other')
  expect(await Promise.all([...looks, last])).toHaveLength(4)
})
