import { expect, onTestFinished, test } from 'vitest'
import { hasPostgres, newPostgresDatabase } from '../../testing/postgres.ts'
import { startPostgresProxy } from '../../testing/postgres-proxy.ts'
import { openTestDatabase } from '../../testing/test-database.ts'
import { isNotWritten } from '../database-error.ts'
import { defineMigration } from '../migration.ts'
import { type NoParams, sqlStatement } from '../statement.ts'

const notes = defineMigration('0001-notes', [{ sqlite: 'never on PostgreSQL', postgres: 'create table notes (text text not null unique)' }])
const insert = sqlStatement<{ text: string }>('insert into notes (text) values (:text)')
const all = sqlStatement<NoParams, { text: string }>('select text from notes order by text')

async function setUp() {
  const proxy = await startPostgresProxy(await newPostgresDatabase())
  const faults: (string | undefined)[] = []
  const onWriteFault = (fault: Error | undefined) => faults.push((fault as { code?: string } | undefined)?.code)
  const database = await openTestDatabase([{ name: 'test', migrations: [notes] }], { dsn: proxy.dsn, onWriteFault })
  onTestFinished(async () => {
    await database[Symbol.asyncDispose]()
    proxy[Symbol.dispose]()
  })
  const effects: string[] = []
  const add = (text: string) =>
    database.write(async (tx) => {
      tx.afterCommit(() => effects.push(text))
      await tx.run(insert, { text })
      return text
    })
  // Readers may have lost their connections.
  const texts = async () => (await database.write((tx) => tx.all(all))).map(({ text }) => text)
  return { proxy, database, faults, effects, add, texts }
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable('the write was refused'),
    (error: unknown) => error,
  )

const onPostgres = test.skipIf(!hasPostgres())

onPostgres('a commit whose answer was lost succeeds with its effects, and a job that failed keeps its own error', async () => {
  const { proxy, faults, effects, add, texts } = await setUp()
  proxy.loseCommit('answer')
  const results = await Promise.allSettled([add('a'), add('a'), add('b')])
  expect(results).toMatchObject([{ value: 'a' }, { reason: { code: '23505' } }, { value: 'b' }])
  expect([effects, faults]).toEqual([['a', 'b'], []])
  expect(await texts()).toEqual(['a', 'b'])
})

onPostgres('a commit that never reached the server is refused as certainly not written', async () => {
  const { proxy, effects, add, texts } = await setUp()
  proxy.loseCommit('request')
  const error = await errorOf(add('a'))
  expect(error).toMatchObject({ code: 'database_unreachable' })
  expect(isNotWritten(error)).toBe(true)
  await add('b')
  expect(effects).toEqual(['b'])
  expect(await texts()).toEqual(['b'])
})

onPostgres.each(['answer', 'request'] as const)(
  'with the %s of a commit lost and the server away, effects follow before the next write',
  async (part) => {
    const { proxy, faults, effects, add, texts } = await setUp()
    proxy.loseCommit(part, { staysDown: true })
    const error = await errorOf(add('a'))
    expect(error).toMatchObject({ code: 'database_unreachable' })
    expect(isNotWritten(error)).toBe(false)
    const duringOutage = await errorOf(add('b'))
    expect(isNotWritten(duringOutage)).toBe(true)
    expect(effects).toEqual([])
    proxy.setDown(false)
    await add('c')
    const kept = part === 'answer' ? ['a', 'c'] : ['c']
    expect(effects).toEqual(kept)
    expect(await texts()).toEqual(kept)
    expect(faults).toEqual(['database_unreachable', undefined])
  },
)

onPostgres('effects of a commit whose answer was lost follow without another write when the server answers again', async () => {
  const { proxy, effects, add } = await setUp()
  proxy.loseCommit('answer', { staysDown: true })
  await errorOf(add('a'))
  proxy.setDown(false)
  await expect.poll(() => effects, { timeout: 10_000 }).toEqual(['a'])
})

onPostgres('I-26: a lock whose answer was lost is taken again from the session that the server keeps', async () => {
  const { proxy, add, texts } = await setUp()
  proxy.breakAll()
  proxy.loseLock()
  await add('a')
  expect(await texts()).toEqual(['a'])
})

onPostgres('the server refuses the number of a transaction that it has not given yet', async () => {
  const { database } = await setUp()
  const later = sqlStatement('select pg_xact_status((pg_current_xact_id()::text::bigint + 1000)::text::xid8) as status')
  await expect(database.write((tx) => tx.get(later))).rejects.toMatchObject({ code: '22023' })
})

onPostgres('a write that was interrupted before its commit is certainly not written', async () => {
  const { proxy, database, texts } = await setUp()
  const error = await errorOf(
    database.write(async (tx) => {
      await tx.run(insert, { text: 'a' })
      proxy.breakAll()
      await tx.run(insert, { text: 'b' })
    }),
  )
  expect(error).toMatchObject({ code: 'database_unreachable' })
  expect(isNotWritten(error)).toBe(true)
  expect(await texts()).toEqual([])
})
