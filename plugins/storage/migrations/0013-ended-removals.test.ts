import { expect, test } from 'vitest'
import type { Reader } from '#kernel'
import { openTestDatabase } from '#kernel/testing'
import { endedRemovalsMigration } from './0013-ended-removals.ts'
import { storageMigrations } from './all-migrations.ts'

const earlier = storageMigrations.slice(
  0,
  storageMigrations.findIndex(({ name }) => name === endedRemovalsMigration.name),
)
const states = ['pending', 'submitting', 'submitted', 'uncertain', 'scheduled', 'removed', 'moot']
const insert = (piece: number, state: string) =>
  `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, attempt_id, created_at, updated_at, piece_cid, withheld_task_id)
     values (1, '${piece}', ${piece + 10}, ${piece + 20}, '${state}', ${state === 'pending' ? null : 5}, 6, 7, 'cid${piece}', ${piece === 0 ? 8 : null})`

const rowsOf = (read: Reader) => read.all<{ state: string }>('select * from removals order by id')
const indexesOf = (read: Reader) =>
  read
    .all<{ name: string; sql: string }>("select name, sql from sqlite_schema where tbl_name = 'removals' and type = 'index' order by name")
    .map(({ name, sql }) => [name, sql.replaceAll('moot', 'data_set_ended')])

test('the upgrade renames the state moot and keeps rows, ids, constraints and indexes of removals', async () => {
  await using before = await openTestDatabase([{ name: 'storage', migrations: earlier }])
  await before.write((tx) => {
    states.forEach((state, piece) => {
      tx.run(insert(piece, state))
    })
    // The highest id was given to a row that is deleted by now.
    tx.run(insert(99, 'removed'))
    tx.run("delete from removals where chain_piece_id = '99'")
  })
  await using database = await openTestDatabase([{ name: 'storage', migrations: [...earlier, endedRemovalsMigration] }], {
    dir: before.dir,
  })
  const { read } = database
  expect(rowsOf(read).map(({ state }) => state)).toEqual([...states.slice(0, -1), 'data_set_ended'])
  expect(read.get('select * from removals where id = 1')).toEqual({
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
  expect(indexesOf(read)).toEqual(indexesOf(unmigrated.read))
  expect((await database.write((tx) => tx.run(insert(100, 'removed')))).lastId).toBe(9)
  await expect(database.write((tx) => tx.run(insert(101, 'moot')))).rejects.toThrow(/CHECK/)
  await expect(database.write((tx) => tx.run(insert(1, 'submitting')))).rejects.toThrow(/UNIQUE/)
  await database.write((tx) => tx.run(insert(6, 'submitting')))
})
