import { defineMigration } from '#kernel'

/** Removals of the copies of deleted contents from the chain, and indexes for lists of deleted objects and delete markers. */
export const removalsMigration = defineMigration('0003-removals', [
  // One row per committed copy of a deleted content, kept as a record after the removal.
  `create table removals (
    id integer primary key autoincrement,
    data_set_id integer not null,
    chain_piece_id text not null,
    copy_id integer not null,
    content_id integer not null,
    state text not null check (state in ('pending', 'submitting', 'submitted', 'uncertain', 'scheduled', 'removed', 'moot')),
    attempt_id integer,
    created_at bigint not null,
    updated_at bigint not null,
    check ((attempt_id is null) = (state = 'pending') or state in ('scheduled', 'removed', 'moot'))
  )`,
  'create unique index removals_piece on removals (data_set_id, chain_piece_id)',
  "create index removals_open on removals (data_set_id, state, id) where state not in ('removed', 'moot')",
  `create table removal_attempts (
    id integer primary key autoincrement,
    data_set_id integer not null,
    extra_data text not null,
    tx_hash text,
    started_at bigint not null,
    sender_nonce integer,
    checks integer not null default 0,
    attention_task_id integer,
    last_error text,
    updated_at bigint not null
  )`,
  "create index contents_deleting on contents (id) where state = 'deleting'",
  'create index object_tombstones_restorable on object_tombstones (bucket_id, key) where is_restorable = 1',
  // Contains the key, so that a filter by key does not read the version.
  'create index object_versions_markers on object_versions (bucket_id, version_id, key) where is_delete_marker = 1',
])
