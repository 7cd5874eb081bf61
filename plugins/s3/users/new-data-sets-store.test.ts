import { expect, test } from 'vitest'
import { allRows, describeOnEngines } from '#kernel/testing'
import { storageMigrations } from '../../storage/migrations/all-migrations.ts'
import { migrations } from '../migrations.ts'
import { addNewDataSets, readNewDataSets, untilNextDayMs } from './new-data-sets-store.ts'

const schemas = [
  { name: 'storage', migrations: storageMigrations },
  { name: 's3', migrations },
]
const hourMs = 3_600_000
const noon = Date.UTC(2026, 5, 1, 12)

await describeOnEngines('new data sets', ({ open }) => {
  test('count for each user and in total from midnight to midnight UTC, and old days are forgotten', async () => {
    await using database = await open(schemas)
    const add = (owner: string, dataSets: number, nowMs: number) => database.write((tx) => addNewDataSets(tx, { owner, dataSets, nowMs }))
    expect(await add('ann', 3, noon)).toEqual({ own: 3, total: 3 })
    expect(await add('ann', 2, noon + 12 * hourMs - 1)).toEqual({ own: 5, total: 5 })
    expect(await add('bob', 1, noon - 12 * hourMs)).toEqual({ own: 1, total: 6 })
    expect(await add('ann', 4, noon + 12 * hourMs)).toEqual({ own: 4, total: 4 })
    const today = { byOwner: new Map(Object.entries({ ann: 5, bob: 1 })), total: 6 }
    expect(await readNewDataSets(database.read, noon)).toEqual(today)
    // The day counts also after the clock stepped back.
    expect(await add('bob', 1, noon)).toEqual({ own: 2, total: 7 })
    await add('ann', 1, noon + 30 * 24 * hourMs)
    expect(await allRows(database.read, 'select owner, data_sets from s3_new_data_sets order by owner')).toEqual([
      { owner: '*', data_sets: 1 },
      { owner: 'ann', data_sets: 1 },
    ])
  })

  test('that a refused transaction added do not count', async () => {
    await using database = await open(schemas)
    const refused = database.write(async (tx) => {
      await addNewDataSets(tx, { owner: 'ann', dataSets: 3, nowMs: noon })
      throw new Error('refused')
    })
    await expect(refused).rejects.toThrow('refused')
    expect(await readNewDataSets(database.read, noon)).toEqual({ byOwner: new Map(), total: 0 })
  })
})

test('the next day begins at midnight UTC', () => {
  expect(untilNextDayMs(noon)).toBe(12 * hourMs)
  expect(untilNextDayMs(noon + 12 * hourMs)).toBe(24 * hourMs)
})
