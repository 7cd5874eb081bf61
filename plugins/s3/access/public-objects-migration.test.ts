import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeOnEngines, openTestDatabase, runSql } from '#kernel/testing'
import { storageMigrations } from '../../storage/migrations/all-migrations.ts'
import { migrations } from '../migrations.ts'
import { findPublished } from './object-access-store.ts'

const storage = { name: 'storage', migrations: storageMigrations }
const at = migrations.findIndex(({ name }) => name === '0006-public-objects')

const bucketWith = (id: number, grantees: readonly string[]) => [
  `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (${id}, 'b${id}', 3, 3, 0, 0)`,
  `insert into object_versions (bucket_id, key, rseq, version_id, is_delete_marker, size, etag, content_type, created_at)
     values (${id}, 'k', -1, 'v${id}', 0, 0, '', '', 0)`,
  `insert into s3_object_access (version_id, grants)
     values ('v${id}', '${JSON.stringify(grantees.map((grantee) => ({ grantee, permission: 'READ' })))}')`,
]

await describeOnEngines('the upgrade to marked buckets', ({ dialect }) => {
  test('finds the buckets with objects that were published before', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-public-objects-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const before = await openTestDatabase([storage, { name: 's3', migrations: migrations.slice(0, at) }], { dialect, dir })
    await before.write(async (tx) => {
      const rows = [...bucketWith(1, ['owner', 'everyone']), ...bucketWith(2, ['users', 'id:everyone']), ...bucketWith(3, ['everyone'])]
      for (const row of rows) await runSql(tx, row)
    })
    await before[Symbol.asyncDispose]()
    await using database = await openTestDatabase([storage, { name: 's3', migrations }], { dialect, dir })
    expect(await findPublished(database.read, [1, 2, 4])).toEqual(new Set([1]))
    expect(await findPublished(database.read, [1, 2, 3])).toEqual(new Set([1, 3]))
  })
})
