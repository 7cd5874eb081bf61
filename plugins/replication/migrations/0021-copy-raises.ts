import { createTable, defineMigration } from '#kernel'

/** Requests to bring the contents of a bucket up to its present number of copies. */
export const copyRaisesMigration = defineMigration('0021-copy-raises', [
  createTable({
    name: 'copy_raises',
    columns: ({ id, text }) => ({
      id,
      bucket_id: 'bigint not null',
      client_request_id: `${text} not null unique`,
      target_copies: 'integer not null',
      status: `${text} not null check (status in ('raising', 'copying', 'completed'))`,
      raised_to: 'bigint not null',
      until_content: 'bigint not null',
      contents: 'bigint not null',
      copies: 'bigint not null',
      bytes: 'bigint not null',
      created_at: 'bigint not null',
      updated_at: 'bigint not null',
      finished_at: 'bigint',
    }),
  }),
  "create unique index copy_raises_unfinished on copy_raises (bucket_id) where status <> 'completed'",
  'create index copy_raises_of_bucket on copy_raises (bucket_id, id)',
])
