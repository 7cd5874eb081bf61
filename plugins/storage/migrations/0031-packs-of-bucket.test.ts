import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allRows, describeOnEngines, openTestDatabase, runSql } from '#kernel/testing'
import { storageMigrations } from './all-migrations.ts'

const named = (name: string) => storageMigrations.findIndex((migration) => migration.name === name)
const before = storageMigrations.slice(0, named('0031-packs-of-bucket'))

/** The table of packs as early databases have it. */
const withoutBucket = (statements: readonly string[]) =>
  statements
    .filter((text) => !text.startsWith('create index packs_of_bucket'))
    .map((text) =>
      text.startsWith('create table packs ') ? text.replace('bucket_id bigint not null references buckets (id), ', '') : text,
    )
const early = before.map((migration) =>
  migration.name === '0030-packs'
    ? {
        ...migration,
        statements: withoutBucket(migration.statements),
        postgresStatements: withoutBucket(migration.postgresStatements),
      }
    : migration,
)

const content = (id: number, bucketId: number) =>
  `insert into contents (id, bucket_id, identity, size, state, ref_count, target_copies, created_at, updated_at, current_count)
   values (${id}, ${bucketId}, 'content ${id}', 100, 'live', 1, 1, 0, 0, 1)`

await describeOnEngines('packs of a database from before their bucket was in their rows', ({ dialect }) => {
  test.each([
    ['early', early, ''],
    ['later', before, 'bucket_id, '],
  ] as const)('%s: packs have their bucket, and their members are still counted', async (_name, migrations, column) => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-packs-of-bucket-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const old = await openTestDatabase([{ name: 'storage', migrations }], { dir, dialect })
    await old.write(async (tx) => {
      for (const id of [1, 2])
        await runSql(
          tx,
          `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (${id}, 'b${id}', 1, 1, 0, 0)`,
        )
      for (const [id, bucketId] of [
        [1, 2],
        [2, 2],
        [3, 2],
        [4, 1],
      ] as const)
        await runSql(tx, content(id, bucketId))
      await runSql(tx, `insert into packs (content_id, ${column}created_at) values (1, ${column ? '2, ' : ''}7)`)
      await runSql(tx, 'insert into pack_members (content_id, pack_id, offset_bytes, length) values (2, 1, 10, 100)')
    })
    await old[Symbol.asyncDispose]()
    await using database = await openTestDatabase(
      [{ name: 'storage', migrations: [...migrations, ...storageMigrations.slice(before.length)] }],
      {
        dir,
        dialect,
      },
    )
    await database.write((tx) => runSql(tx, 'insert into pack_members (content_id, pack_id, offset_bytes, length) values (3, 1, 200, 100)'))
    expect(await allRows(database.read, 'select * from packs')).toEqual([
      { content_id: 1, bucket_id: 2, created_at: 7, members: 2, living_bytes: 200, versions: 2, current_versions: 2 },
    ])
    await expect(database.write((tx) => runSql(tx, 'insert into packs (content_id, created_at) values (4, 0)'))).rejects.toThrow(
      /bucket_id/,
    )
  })
})
