import { createTable, defineMigration } from '#kernel'

/** The bytes of small cached contents, which then have no file. They go with the entry. */
export const bytesInDatabaseMigration = defineMigration('0023-bytes-in-database', [
  createTable({
    name: 'cache_bytes',
    columns: ({ key, bytes }) => ({
      content_id: `${key} references cache_entries (content_id) on delete cascade`,
      bytes: `${bytes} not null`,
    }),
  }),
  // Most bytes are compressed or random: PostgreSQL would spend time on compressing them again.
  { postgres: 'alter table cache_bytes alter column bytes set storage external' },
])
