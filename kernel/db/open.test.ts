import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { defineMigration } from './migration.ts'
import { type OpenDatabase, openDatabase } from './open.ts'

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

const insert = (text: string) => (tx: { run(sql: string, ...params: string[]): unknown }) =>
  tx.run('insert into notes (text) values (?)', text)
const texts = (database: OpenDatabase) => database.read.all<{ text: string }>('select text from notes order by id').map(({ text }) => text)

test('a migration is applied once, in order, and what a plugin adds later is pending until then', async () => {
  const dir = newDir()
  const first = await open(dir)
  expect(await first.migrate()).toEqual([])
  const more = defineMigration('0002-more', ['create table more (id integer primary key)'])
  const second = await openDatabase({ dsn: join(dir, 'db', 'test.db'), schemas: [{ name: 'test', migrations: [notes, more] }] })
  cleanUps.push(async () => second[Symbol.asyncDispose]())
  expect(await second.pendingMigrations()).toEqual(['test/0002-more'])
  expect(await second.migrate()).toEqual(['test/0002-more'])
})

test('writes of one turn are committed together, and a failing one takes back only itself', async () => {
  const database = await open()
  const results = await Promise.allSettled([
    database.write(insert('a')),
    database.write((tx) => {
      insert('b')(tx)
      throw new Error('no')
    }),
    database.write(insert('a')),
    database.write(insert('c')),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(texts(database)).toEqual(['a', 'c'])
})

test('a write is durable when it resolves: another connection sees it', async () => {
  const dir = newDir()
  const database = await open(dir)
  await database.write(insert('a'))
  using other = new DatabaseSync(join(dir, 'db', 'test.db'), { readOnly: true })
  expect(other.prepare('select text from notes').all()).toEqual([{ text: 'a' }])
})

test('effects of a commit run after it, and not at all when the job fails', async () => {
  const database = await open()
  const seen: string[] = []
  await database.write((tx) => {
    insert('a')(tx)
    tx.afterCommit(() => seen.push(`committed ${texts(database).join()}`))
  })
  await expect(
    database.write((tx) => {
      tx.afterCommit(() => seen.push('never'))
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(seen).toEqual(['committed a'])
})

test('a broken effect takes nothing back and stops no later write', async () => {
  const database = await open()
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  await database.write((tx) => {
    insert('a')(tx)
    tx.afterCommit(() => {
      throw new Error('broken')
    })
  })
  await database.write(insert('b'))
  expect((await warned).cause).toMatchObject({ message: 'broken' })
  expect(texts(database)).toEqual(['a', 'b'])
})

test('a job that awaits is refused, because the writer would be held meanwhile', async () => {
  const database = await open()
  await expect(database.write(async (tx) => insert('a')(tx))).rejects.toThrow('must be synchronous')
  expect(texts(database)).toEqual([])
})

test('a long queue of writes lets the event loop turn', async () => {
  const database = await open()
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  await Promise.all(Array.from({ length: 2000 }, (_, i) => database.write(insert(`note ${i}`))))
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
  expect(texts(database)).toHaveLength(2000)
})

test('a closed database refuses writes and has finished those it took', async () => {
  const dir = newDir()
  const database = await open(dir)
  const last = database.write(insert('last'))
  await database[Symbol.asyncDispose]()
  await expect(last).resolves.toBeDefined()
  await expect(database.write(insert('late'))).rejects.toThrow('closed')
})

test('a job that builds its statements from values fails alone, and later writes go on', async () => {
  const database = await open()
  const wasteful = database.write((tx) => {
    for (let n = 0; n < 2000; n++) tx.get(`select ${n}`)
  })
  await expect(wasteful).rejects.toThrow('distinct SQL texts; the latest is: select')
  // A text that is known still: no new one is taken.
  expect(await database.write((tx) => tx.get('select 0'))).toEqual({ 0: 0 })
})

test('a full disk is what every write of the group hears of, and later writes go on', async () => {
  const database = await open()
  await database.write((tx) => tx.get('pragma max_page_count = 40'))
  const large = database.write((tx) => {
    for (let n = 0; n < 200; n++) insert(`${n} `.repeat(1000))(tx)
  })
  const beside = database.write(insert('beside'))
  await expect(large).rejects.toThrow('database or disk is full')
  await expect(beside).rejects.toThrow('database or disk is full')
  expect(await database.write(insert('later'))).toBeDefined()
})
