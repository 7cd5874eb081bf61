import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { ReadingThread } from './reading-thread.ts'
import { type NoParams, type Params, sqlStatement, statementsOver } from './statement.ts'

const rows = sqlStatement<{ after: number }, { id: number; text: string }>('select id, text from notes where id > :after order by id')
const some = statementsOver<{ notes: { id: number; text: string } }>()((db, { ids }: Params<{ ids: readonly number[] }>) =>
  db.selectFrom('notes').select('text').where('id', 'in', ids),
)
const endless = sqlStatement<NoParams, { n: number }>(
  'with recursive counter(n) as (select 1 union all select n + 1 from counter) select count(*) as n from counter',
)
const insert = sqlStatement("insert into notes (text) values ('three') returning id")

function openThread(text?: string) {
  const dir = mkdtempSync(join(tmpdir(), 'svc-thread-'))
  const path = join(dir, 'notes.db')
  if (text === undefined) {
    const database = new DatabaseSync(path)
    database.exec("create table notes (id integer primary key, text text); insert into notes (text) values ('one'), ('two')")
    database.close()
  } else writeFileSync(path, text)
  const thread = new ReadingThread(path)
  onTestFinished(() => {
    thread[Symbol.dispose]()
    rmSync(dir, { recursive: true })
  })
  return { thread, path }
}

test('rows are read on another thread, also with lists and without a row', async () => {
  const { thread } = openThread()
  expect(await thread.all(rows, { after: 0 })).toEqual([
    { id: 1, text: 'one' },
    { id: 2, text: 'two' },
  ])
  expect(await thread.get(rows, { after: 1 })).toEqual({ id: 2, text: 'two' })
  expect(await thread.get(rows, { after: 2 })).toBeUndefined()
  expect(await thread.all(some, { ids: [2, 7] })).toEqual([{ text: 'two' }])
})

test('a scan does not block the event loop, and ends when the thread is stopped', async () => {
  const { thread } = openThread()
  const scan = thread.get(endless)
  const turn = new Promise((resolve) => setImmediate(resolve))
  await turn
  thread.stop(new Error('too late'))
  await expect(scan).rejects.toThrow('too late')
  expect(thread.isOpen).toBe(false)
  await expect(thread.get(endless)).rejects.toThrow('too late')
})

test('a write is refused', async () => {
  const { thread, path } = openThread()
  await expect(thread.all(insert)).rejects.toThrow(`the database ${path}: attempt to write a readonly database (SQLITE_READONLY)`)
})

test('a file that is not a database is refused with its name and the result code of SQLite', async () => {
  const { thread, path } = openThread('not a database'.repeat(100))
  await expect(thread.all(rows, { after: 0 })).rejects.toThrow(`the database ${path}: file is not a database (SQLITE_NOTADB)`)
})

test('the connection of this process keeps its locks, so that another process leaves its write-ahead log alone', async () => {
  const { thread, path } = openThread()
  const Database = createRequire(import.meta.url)('better-sqlite3')
  const live = new Database(path)
  onTestFinished(() => void live.close())
  live.exec("pragma journal_mode = wal; insert into notes (text) values ('three')")
  expect(await thread.all(rows, { after: 2 })).toEqual([{ id: 3, text: 'three' }])
  thread[Symbol.dispose]()
  await expect.poll(() => thread.isOpen).toBe(false)
  const look = `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(${JSON.stringify(path)});
    process.stdout.write(String(db.prepare('select count(*) as n from notes').get().n)); db.close()`
  const count = () => execFileSync(process.execPath, ['-e', look], { encoding: 'utf8' })
  expect([count(), existsSync(`${path}-wal`)]).toEqual(['3', true])
  live.exec("insert into notes (text) values ('four')")
  expect([count(), existsSync(`${path}-wal`)]).toEqual(['4', true])
})
