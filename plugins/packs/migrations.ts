import { createTable, defineMigration } from '#kernel'

export const packMigrations = [
  defineMigration('0001-bucket-packings', [
    createTable({
      name: 'bucket_packings',
      columns: ({ text }) => ({
        bucket_id: 'bigint not null primary key',
        packing: `${text} not null check (packing in ('off', 'small'))`,
        seal_asked: 'integer not null default 0',
      }),
    }),
    createTable({
      name: 'pack_moves',
      columns: () => ({
        content_id: 'bigint not null primary key',
        pack_id: 'bigint not null',
        bucket_id: 'bigint not null',
        offset_bytes: 'bigint not null',
      }),
    }),
    'create index pack_moves_of_bucket on pack_moves (bucket_id, pack_id)',
    createTable({ name: 'asked_compactions', columns: () => ({ pack_id: 'bigint not null primary key' }) }),
  ]),
  defineMigration('0002-stored', [
    createTable({
      name: 'asked_packings',
      columns: () => ({
        bucket_id: 'bigint not null primary key',
        asked_at: 'bigint not null',
        after_id: 'bigint not null default 0',
        contents: 'bigint not null',
        packed: 'bigint not null default 0',
        left_out: 'bigint not null default 0',
      }),
    }),
  ]),
  defineMigration('0003-erasure', [
    'alter table bucket_packings add column erase_within_days integer not null default 0',
    createTable({
      name: 'sealed_packs',
      columns: () => ({ pack_id: 'bigint not null primary key', records: 'bigint not null', dead_at: 'bigint' }),
    }),
  ]),
]
