import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import { storageEntities } from '../../storage/testing/rows.ts'
import { replicationEntities } from '../entities.ts'
import { openStorageRows, rowsNowMs, type StorageRows } from '../testing/storage-rows.ts'
import { dueColumns, recordedColumns, replicationDueTimes } from './due-times-store.ts'

let rows: StorageRows

beforeEach(async () => {
  rows = await openStorageRows()
})

afterEach(() => rows[Symbol.asyncDispose]())

test('every time column of the tables is either a due time or a record', () => {
  const columns = [...storageEntities, ...replicationEntities].flatMap(({ meta: { tableName, properties } }) =>
    Object.keys(properties).flatMap((name) => (/^at$|_(at|until)$/.test(name) ? `${tableName}.${name}` : [])),
  )
  const listed = [dueColumns, recordedColumns].flatMap((tables: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(tables).flatMap(([table, names]) => names.map((name) => `${table}.${name}`)),
  )
  expect(listed.toSorted()).toEqual(columns.toSorted())
})

test('due times later than now become now, earlier ones stay', async () => {
  const { database } = rows
  const dataSet = await rows.addDataSet()
  const waiting = await rows.addCopy(await rows.addContent(), dataSet, 'planned')
  const due = await rows.addCopy(await rows.addContent(), dataSet, 'planned')
  await database.write(async (tx) => {
    await runSql(tx, 'update copies set next_attempt_at = ? where id = ?', rowsNowMs + 3_600_000, waiting)
    await runSql(tx, 'update copies set next_attempt_at = ? where id = ?', rowsNowMs - 5, due)
  })
  await database.write((tx) => replicationDueTimes.bound(tx, rowsNowMs))
  expect(await allRows(database.read, 'select id, next_attempt_at as at from copies order by id')).toEqual([
    { id: waiting, at: rowsNowMs },
    { id: due, at: rowsNowMs - 5 },
  ])
})
