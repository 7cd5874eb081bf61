import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { allRows, describeOnEngines, insertRow, runSql } from '#kernel/testing'
import type { Bucket } from '#plugins/storage'
import { storageMigrations } from '../../storage/migrations/all-migrations.ts'
import { migrations } from '../migrations.ts'
import { bucketSettingsDeletion, createBucketSettings, defineBucketSetting } from './bucket-settings.ts'

const schemas = [
  { name: 'storage', migrations: storageMigrations },
  { name: 's3', migrations },
]
const color = defineBucketSetting<{ readonly name: string }>('color')
const size = defineBucketSetting<number>('size')

await describeOnEngines('settings of buckets', ({ open }) => {
  test('a setting is of one bucket, and goes with it; a deleted bucket gets no more', async () => {
    await using database = await open(schemas)
    const insert = (name: string) =>
      database.write((tx) =>
        insertRow(
          tx,
          'insert into buckets (name, default_copies, minimum_durable_copies, created_at, updated_at) values (?, 3, 3, 0, 0)',
          name,
        ),
      )
    const [one, other] = [await insert('one'), await insert('other')].map((id) => ({ id, name: `b${id}` }) as Bucket)
    if (!one || !other) throw new Error('no buckets')
    const settings = createBucketSettings({ database, clock: systemClock })
    await settings.set(one, color, { name: 'red' })
    await settings.set(one, color, { name: 'grün' })
    await settings.set(one, size, 4)
    await settings.set(other, color, { name: 'blue' })
    expect(await settings.find(one, color)).toEqual({ name: 'grün' })
    await settings.remove(one, color)
    expect(await settings.find(one, color)).toBeUndefined()
    expect(await settings.find(one, size)).toBe(4)
    await database.write(async (tx) => {
      await runSql(tx, 'update buckets set deleted_at = 1 where id = ?', one.id)
      await bucketSettingsDeletion.deleted(tx, one.id)
    })
    await expect(settings.set(one, size, 5)).rejects.toMatchObject({ code: 'NoSuchBucket', extras: { BucketName: one.name } })
    const rows = await allRows(database.read, 'select bucket_id, name from s3_bucket_settings')
    expect(rows).toEqual([{ bucket_id: other.id, name: 'color' }])
  })
})
