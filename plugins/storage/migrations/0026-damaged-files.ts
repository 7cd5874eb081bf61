import { createTable, defineMigration } from '#kernel'

/**
 * Cached files that failed a verification: marked where no provider has a readable copy, else removed from the cache into a quarantine. An
 * entry with a marked file is `damaged`.
 */
export const damagedFilesMigration = defineMigration('0026-damaged-files', [
  'alter table cache_blobs add column damaged_at bigint',
  'create index cache_blobs_damaged on cache_blobs (damaged_at) where damaged_at is not null',
  createTable({
    name: 'cache_quarantine',
    columns: ({ text, bytes }) => ({
      blob_id: `${text} not null primary key`,
      content_id: 'bigint not null',
      epoch: 'bigint not null',
      length: 'bigint not null',
      sha256: text,
      block_checksums: bytes,
      removed_at: 'bigint not null',
    }),
  }),
])
