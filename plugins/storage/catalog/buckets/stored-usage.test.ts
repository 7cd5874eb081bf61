import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase, runSql } from '#kernel/testing'
import { recountUsage } from '../../doctor/counts-store.ts'
import { storageMigrations } from '../../migrations/all-migrations.ts'
import { openVersionStorage } from '../../testing/version-storage.ts'
import { readStoredUsage, readStoredUsages } from './stored-usage-store.ts'

const usage = (buckets: number, versions: number, bytes: number) => ({ buckets, versions, bytes })

test('every version of the buckets of an owner counts, until it is deleted, and goes with the bucket to another owner', async () => {
  await using storage = await openVersionStorage()
  const { buckets, objects, put, versions } = storage
  const bucket = await buckets.create({ name: 'of-ann', ownerAccessKey: 'ann' })
  await buckets.create({ name: 'of-bob', ownerAccessKey: 'bob' })
  await put('root', 'x'.repeat(7))
  const first = await put('k', 'x'.repeat(10), { bucket: 'of-ann' })
  await put('k', 'x'.repeat(20), { bucket: 'of-ann' })
  await objects.delete('of-ann', 'k')
  await objects.copy({ source: { bucket: 'of-ann', key: 'k', versionId: first.versionId }, target: { bucket: 'of-bob', key: 'copy' } })
  expect(await buckets.storedUsage('ann')).toEqual({ own: usage(1, 2, 30), total: usage(3, 4, 47) })
  expect(await buckets.storedUsage('bob')).toMatchObject({ own: usage(1, 1, 10) })
  expect(await buckets.storedIn(bucket.id)).toEqual({ versions: 2, bytes: 30 })
  expect(await buckets.storedIn(999)).toEqual({ versions: 0, bytes: 0 })
  expect(await buckets.storedUsage('nobody')).toMatchObject({ own: usage(0, 0, 0) })
  await versions.delete({ bucket: 'of-ann', key: 'k', versionId: first.versionId })
  expect(await buckets.storedUsage('ann')).toEqual({ own: usage(1, 1, 20), total: usage(3, 3, 37) })
  await buckets.setOwner('of-ann', 'bob')
  await buckets.setOwner('of-bob', null)
  expect(await buckets.storedUsages()).toEqual({
    byOwner: new Map([
      ['ann', usage(0, 0, 0)],
      ['bob', usage(1, 1, 20)],
    ]),
    total: usage(3, 3, 37),
  })
  expect(await buckets.storedUsage(null)).toMatchObject({ own: usage(2, 2, 17) })
  await storage.expectSound()
  const { versions: all } = await versions.list({ bucket: 'of-ann', limit: 10 })
  for (const { key, versionId } of all) await versions.delete({ bucket, key, versionId })
  await buckets.delete('of-ann')
  expect(await buckets.storedUsage('bob')).toEqual({ own: usage(0, 0, 0), total: usage(2, 2, 17) })
  await storage.expectSound()
})

test('a refusal inside the transaction of a new bucket leaves nothing of it', async () => {
  await using storage = await openVersionStorage()
  const { buckets } = storage
  const created = (name: string) =>
    buckets.create({
      name,
      ownerAccessKey: 'ann',
      async record(tx) {
        if ((await buckets.storedUsage('ann', tx)).own.buckets > 2) throw new Error('too many')
      },
    })
  const results = await Promise.allSettled(['b-1', 'b-2', 'b-3', 'b-4'].map(created))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
  expect(buckets.list().map(({ name }) => name)).toEqual(['b-1', 'b-2', 'photos'])
  expect(await buckets.storedUsage('ann')).toMatchObject({ own: { buckets: 2 } })
  await storage.expectSound()
})

test('the upgrade counts what the buckets hold, and wrong counts are found and counted again', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-stored-usage-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const at = storageMigrations.findIndex(({ name }) => name === '0029-stored-usage')
  const before = await openTestDatabase([{ name: 'storage', migrations: storageMigrations.slice(0, at) }], { dir })
  const bucket = (id: number, owner: string | null) => [
    `insert into buckets (id, name, owner_access_key, default_copies, minimum_durable_copies, created_at, updated_at)
       values (${id}, 'b${id}', ${owner === null ? 'null' : `'${owner}'`}, 3, 3, 0, 0)`,
    `insert into bucket_stats (bucket_id, versions, version_bytes) values (${id}, ${id}, ${id * 100})`,
  ]
  await before.write(async (tx) => {
    for (const text of [...bucket(1, 'ann'), ...bucket(2, null), ...bucket(3, 'ann')]) await runSql(tx, text)
  })
  await before[Symbol.asyncDispose]()
  await using database = await openTestDatabase([{ name: 'storage', migrations: storageMigrations }], { dir })
  const expected = { byOwner: new Map([['ann', usage(2, 4, 400)]]), total: usage(3, 6, 600) }
  expect(await readStoredUsages(database.read)).toEqual(expected)
  expect(await readStoredUsage(database.read, null)).toMatchObject({ own: usage(1, 2, 200) })
  expect(await database.write(recountUsage)).toBe(false)
  await database.write(async (tx) => {
    await runSql(tx, `update stored_usage set version_bytes = 1 where owner = '*'`)
    await runSql(tx, `delete from stored_usage where owner = 'ann'`)
    await runSql(tx, `insert into stored_usage (owner, buckets) values ('gone', 1)`)
  })
  expect(await database.write(recountUsage)).toBe(true)
  expect(await readStoredUsages(database.read)).toEqual(expected)
  expect(await database.write(recountUsage)).toBe(false)
})
