import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allRows, describeOnEngines, getRow, openTestDatabase, runSql } from '#kernel/testing'
import { storageMigrations } from '../../storage/migrations/all-migrations.ts'
import { migrations } from '../migrations.ts'

const storage = { name: 'storage', migrations: storageMigrations }
const at = migrations.findIndex(({ name }) => name === '0005-owner-ids')
const earlier = { name: 's3', migrations: migrations.slice(0, at) }
const upgraded = { name: 's3', migrations: migrations.slice(0, at + 1) }
const json = (value: unknown) => `'${JSON.stringify(value)}'`
const grants = [
  { grantee: 'everyone', permission: 'READ' },
  { grantee: 'id:alice', permission: 'WRITE' },
  { grantee: 'owner', permission: 'FULL_CONTROL' },
  { grantee: 'id:gone', permission: 'READ' },
]
const access = { ownership: 'ObjectWriter', grants, block: { blockPublicAcls: true }, mayHaveOtherOwners: true }
const version = (id: string, rseq: number) =>
  `insert into object_versions (bucket_id, key, rseq, version_id, is_delete_marker, size, etag, content_type, created_at) values (1, 'k', ${rseq}, '${id}', 0, 0, '', '', 0)`
const upload = (id: string, initiator: string) =>
  `insert into uploads (upload_id, bucket_id, key, content_type, initiator, created_at, active_at) values ('${id}', 1, 'k', '', ${initiator}, 0, 0)`
const rows = [
  "insert into s3_users (access_key, secret_key, role, created_at, updated_at) values ('alice', 's1', 'user', 1, 2), ('bob', 's2', 'admin', 3, 4)",
  "insert into buckets (id, name, owner_access_key, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'one', 'alice', 3, 3, 0, 0), (2, 'two', null, 3, 3, 0, 0)",
  `insert into s3_bucket_settings (bucket_id, name, document, updated_at) values (1, 'access', ${json(access)}, 0), (1, 'tags', '[["id:","x"]]', 0), (2, 'access', ${json({ ownership: 'ObjectWriter' })}, 0)`,
  version('v1', -1),
  version('v2', -2),
  `insert into s3_object_access (version_id, owner, grants) values ('v1', 'gone', ${json(grants)}), ('v2', null, ${json(grants.slice(0, 1))})`,
  upload('u1', `'bob'`),
  upload('u2', 'null'),
  `insert into s3_upload_access (upload_id, owner, grants) values ('u1', 'bob', ${json(grants)})`,
]

await describeOnEngines('the upgrade to owner IDs', ({ dialect }) => {
  test('names users by IDs that do not tell their access keys wherever these were stored, and keeps who owns and may do what', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-owner-ids-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const before = await openTestDatabase([storage, earlier], { dialect, dir })
    await before.write(async (tx) => {
      for (const row of rows) await runSql(tx, row)
    })
    await before[Symbol.asyncDispose]()
    await using database = await openTestDatabase([storage, upgraded], { dialect, dir })
    const users = await allRows<{ access_key: string; owner_id: string }>(database.read, 'select * from s3_users order by access_key')
    const [alice = '', bob = ''] = users.map(({ owner_id }) => owner_id)
    expect(users).toEqual([
      { access_key: 'alice', owner_id: alice, secret_key: 's1', role: 'user', created_at: 1, updated_at: 2 },
      { access_key: 'bob', owner_id: bob, secret_key: 's2', role: 'admin', created_at: 3, updated_at: 4 },
    ])
    const ofObject = await allRows<{ owner: string | null; grants: string }>(
      database.read,
      'select * from s3_object_access order by version_id',
    )
    const gone = ofObject[0]?.owner ?? ''
    for (const id of [alice, bob, gone]) expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set([alice, bob, gone]).size).toBe(3)
    const named = grants.map((grant) => ({
      ...grant,
      grantee: grant.grantee.replace('id:alice', `id:${alice}`).replace('id:gone', `id:${gone}`),
    }))
    expect(ofObject.map((row) => JSON.parse(row.grants))).toEqual([named, grants.slice(0, 1)])
    expect(ofObject[1]?.owner).toBeNull()
    const ofUpload = await getRow<{ owner: string; grants: string }>(database.read, 'select owner, grants from s3_upload_access')
    expect({ ...ofUpload, grants: JSON.parse(ofUpload?.grants ?? '') }).toEqual({ owner: bob, grants: named })
    const settings = await allRows<{ document: string }>(database.read, 'select * from s3_bucket_settings order by bucket_id, name')
    expect(settings.map(({ document }) => JSON.parse(document))).toEqual([
      { ...access, grants: named },
      [['id:', 'x']],
      { ownership: 'ObjectWriter' },
    ])
    expect(await allRows(database.read, 'select initiator from uploads order by upload_id')).toEqual([
      { initiator: bob },
      { initiator: null },
    ])
    // Operators name owners of buckets by access key.
    expect(await getRow(database.read, 'select owner_access_key from buckets where id = 1')).toEqual({ owner_access_key: 'alice' })
  })
})
