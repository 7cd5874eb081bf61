import { defineMigration } from '../db/migration.ts'

/** Times are clock milliseconds. `lease_seq` grows with every claim: a write that names an older one changes nothing (I-06). */
export const taskMigrations = [
  defineMigration('0001-tasks', [
    `create table tasks (
      id integer primary key autoincrement,
      kind text not null,
      key text,
      subject_type text not null,
      subject_key text not null,
      bucket text,
      args text not null,
      status text not null check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
      run_at bigint not null,
      again_at bigint,
      attempts integer not null default 0,
      is_backing_off integer not null default 0,
      wait_reason text,
      message text,
      error_code text,
      last_error text,
      is_retryable integer not null default 1,
      failed_at bigint,
      acknowledged_at bigint,
      lease_owner text,
      lease_until bigint,
      lease_seq integer not null default 0,
      created_at bigint not null,
      updated_at bigint not null,
      started_at bigint,
      finished_at bigint
    )`,
    "create unique index tasks_key on tasks (key) where key is not null and status in ('pending', 'running')",
    "create index tasks_due on tasks (kind, run_at, id) where status = 'pending'",
    "create index tasks_leased on tasks (lease_until) where status = 'running'",
    'create index tasks_by_kind on tasks (kind, id)',
    'create index tasks_by_status on tasks (status, id)',
    'create index tasks_by_kind_and_status on tasks (kind, status, id)',
    "create index tasks_unacknowledged on tasks (failed_at) where status = 'failed' and acknowledged_at is null",
    "create index tasks_expiring on tasks (finished_at) where status in ('completed', 'cancelled', 'failed')",
    // Counted in the transactions that change rows, so that no page ever counts the table.
    `create table task_counts (
      kind text not null,
      status text not null,
      acknowledged integer not null,
      n integer not null,
      primary key (kind, status, acknowledged)
    )`,
  ]),
  defineMigration('0002-failure-clock', [
    // The latest failure timestamp. It only increases, independent of the wall clock and of the recorded failures.
    'create table task_failure_clock (id integer primary key check (id = 1), at bigint not null)',
    'insert into task_failure_clock (id, at) select 1, coalesce(max(failed_at), 0) from tasks',
  ]),
  defineMigration('0003-bounded-reads', [
    // The groups are those of task_counts. A list merges the newest rows of the shown groups and reads no rows of other groups.
    'create index tasks_in_group on tasks (kind, status, (acknowledged_at is not null), id)',
    'drop index tasks_by_kind',
    'drop index tasks_by_status',
    'drop index tasks_by_kind_and_status',
    "create index tasks_unacknowledged_of_kind on tasks (kind, failed_at) where status = 'failed' and acknowledged_at is null",
    // Only rows that retention may delete, by the start of their retention period: undismissed failures are excluded.
    `create index tasks_ended on tasks (coalesce(acknowledged_at, finished_at))
     where status in ('completed', 'cancelled') or acknowledged_at is not null`,
    'drop index tasks_expiring',
  ]),
  defineMigration('0004-clock-mark', [
    // The wall clock, recorded at intervals: a start with an earlier time detects a step back.
    'create table clock_mark (id integer primary key check (id = 1), at bigint not null)',
    'insert into clock_mark (id, at) values (1, 0)',
  ]),
]
