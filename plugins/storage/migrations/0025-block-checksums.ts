import { defineMigration } from '#kernel'

/** CRC-32 of each 64 KiB of a cached file, for reads of a part of it. Null: of a file written before this migration, or of one block. */
export const blockChecksumsMigration = defineMigration('0025-block-checksums', [
  {
    sqlite: 'alter table cache_blobs add column block_checksums blob',
    postgres: 'alter table cache_blobs add column block_checksums bytea',
  },
  // They do not compress, and a range of them is read.
  { postgres: 'alter table cache_blobs alter column block_checksums set storage external' },
])
