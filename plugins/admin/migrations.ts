import { createTable, defineMigration } from '#kernel'

export const adminMigrations = [
  defineMigration('0001-bulk-actions', [
    createTable({
      name: 'bulk_actions',
      columns: ({ id, text }) => ({
        id,
        bucket_id: 'bigint not null',
        bucket: `${text} not null`,
        client_request_id: `${text} not null unique`,
        action: `${text} not null check (action in ('move_to_trash', 'restore', 'delete_permanently', 'delete_bucket'))`,
        targets: `${text} not null`,
        status: `${text} not null check (status in ('running', 'completed', 'stopped', 'incomplete'))`,
        target_at: 'integer not null',
        after_key: `${text} not null`,
        total: 'bigint not null',
        done: 'bigint not null',
        skipped: 'bigint not null',
        busy: 'bigint not null',
        problem: text,
        created_at: 'bigint not null',
        updated_at: 'bigint not null',
        finished_at: 'bigint',
      }),
    }),
    "create unique index bulk_actions_running on bulk_actions (bucket_id) where status = 'running'",
    'create index bulk_actions_of_bucket on bulk_actions (bucket_id, id)',
  ]),
]
