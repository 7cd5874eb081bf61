import { expect, test } from 'vitest'
import { allRows, describeOnEngines, runSql } from '#kernel/testing'
import { storageMigrations } from './all-migrations.ts'

await describeOnEngines('checksums of objects that were stored before the migration', ({ dialect, open }) => {
  test('are named in the rows that are listed', async () => {
    await using database = await open([{ name: 'storage', migrations: storageMigrations }])
    const rows: readonly (readonly [key: string, checksums: string | null])[] = [
      ['composite', '{"sha256":"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=-3"}'],
      ['full', '{"crc64nvme":"AAAAAAAAAAA="}'],
      ['none', null],
    ]
    await database.write(async (tx) => {
      await runSql(
        tx,
        `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'b', 1, 1, 0, 0)`,
      )
      for (const [key, checksums] of rows) {
        const version =
          'insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, checksums, created_at)'
        for (const [rseq, sums] of [
          [-2, checksums],
          [-1, '{"crc32":"AAAAAA=="}'],
        ] as const)
          await runSql(tx, `${version} values (1, ?, ?, ?, null, 0, 1, '', '', ?, 0)`, key, rseq, `${key} ${rseq}`, sums)
        await runSql(
          tx,
          `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (1, ?, '', -2, 1, 1, '', 0)`,
          key,
        )
      }
      const migration = storageMigrations.find(({ name }) => name === '0028-listed-checksums')
      const [, backfill] = (dialect === 'sqlite' ? migration?.statements : migration?.postgresStatements) ?? []
      await runSql(tx, String(backfill))
    })
    expect(await allRows(database.read, 'select key, checksum from object_heads order by key')).toEqual([
      { key: 'composite', checksum: 'sha256-' },
      { key: 'full', checksum: 'crc64nvme' },
      { key: 'none', checksum: null },
    ])
  })
})
