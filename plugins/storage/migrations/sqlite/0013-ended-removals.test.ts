import { expect, test } from 'vitest'
import type { Reader } from '#kernel'
import { allRows, getRow, insertRow, openTestDatabase, runSql, runsOnSqlite } from '#kernel/testing'
import { storageMigrations } from '../all-migrations.ts'
import { endedRemovalsMigration } from './0013-ended-removals.ts'

const earlier = storageMigrations.slice(
  0,
  storageMigrations.findIndex(({ name }) => name === endedRemovalsMigration.name),
)
const states = ['pending', 'submitting', 'submitted', 'uncertain', 'scheduled', 'removed', 'moot']
const insert = (piece: number, state: string) =>
  `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, attempt_id, created_at, updated_at, piece_cid, withheld_task_id)
     values (1, '${piece}', ${piece + 10}, ${piece + 20}, '${state}', ${state === 'pending' ? null : 5}, 6, 7, 'cid${piece}', ${piece === 0 ? 8 : null})`

const rowsOf = (read: Reader) => allRows<{ state: string }>(read, 'select * from removals order by id')
const indexesOf = async (read: Reader) =>
  (
    await allRows<{ name: string; sql: string }>(
      read,
      "select name, sql from sqlite_schema where tbl_name = 'removals' and type = 'index' order by name",
    )
  ).map(({ name, sql }) => [name, sql.replaceAll('moot', 'data_set_ended')])

test.runIf(runsOnSqlite())('the upgrade renames the state moot and keeps rows, ids, constraints and indexes of removals', async () => {
  await using before = await openTestDatabase([{ name: 'storage', migrations: earlier }])
  await before.write(async (tx) => {
    for (const [piece, state] of states.entries()) await runSql(tx, insert(piece, state))
    // The highest id was given to a row that is deleted by now.
    await runSql(tx, insert(99, 'removed'))
    await runSql(tx, "delete from removals where chain_piece_id = '99'")
  })
  await using database = await openTestDatabase([{ name: 'storage', migrations: [...earlier, endedRemovalsMigration] }], {
    dir: before.dir,
  })
  const { read } = database
  expect((await rowsOf(read)).map(({ state }) => state)).toEqual([...states.slice(0, -1), 'data_set_ended'])
  expect(await getRow(read, 'select * from removals where id = 1')).toEqual({
    id: 1,
    data_set_id: 1,
    chain_piece_id: '0',
    copy_id: 10,
    content_id: 20,
    state: 'pending',
    attempt_id: null,
    created_at: 6,
    updated_at: 7,
    piece_cid: 'cid0',
    withheld_task_id: 8,
  })
  await using unmigrated = await openTestDatabase([{ name: 'storage', migrations: earlier }])
  expect(await indexesOf(read)).toEqual(await indexesOf(unmigrated.read))
  expect(await database.write((tx) => insertRow(tx, insert(100, 'removed')))).toBe(9)
  await expect(database.write((tx) => runSql(tx, insert(101, 'moot')))).rejects.toThrow(/CHECK/)
  await expect(database.write((tx) => runSql(tx, insert(1, 'submitting')))).rejects.toThrow(/UNIQUE/)
  await database.write((tx) => runSql(tx, insert(6, 'submitting')))
})
