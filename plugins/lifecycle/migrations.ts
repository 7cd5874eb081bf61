import { createTable, defineMigration } from '#kernel'

export const migrations = [
  defineMigration('0001-runs', [
    createTable({
      name: 'lifecycle_runs',
      columns: ({ text }) => ({
        bucket_id: 'bigint not null primary key',
        due_at: 'bigint not null',
        phase: `${text} not null check (phase in ('versions', 'uploads', 'ended'))`,
        prefix_at: 'integer not null',
        after_key: `${text} not null`,
        marked: 'bigint not null',
        removed: 'bigint not null',
        markers_removed: 'bigint not null',
        aborted: 'bigint not null',
        started_at: 'bigint not null',
        ended_at: 'bigint',
      }),
    }),
    createTable({
      name: 'lifecycle_clock',
      columns: () => ({
        id: 'integer not null primary key check (id = 1)',
        seen_at: 'bigint not null',
        rests_until: 'bigint not null',
      }),
    }),
  ]),
]
