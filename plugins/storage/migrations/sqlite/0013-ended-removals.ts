import { defineMigration } from '#kernel'

const columns = 'id, data_set_id, chain_piece_id, copy_id, content_id, attempt_id, created_at, updated_at, piece_cid, withheld_task_id'
const ended = "('removed', 'data_set_ended')"

/** Renames the removal state `moot` to `data_set_ended`. SQLite cannot change a check constraint: the table is rebuilt. */
export const endedRemovalsMigration = defineMigration('0013-ended-removals', [
  `create table removals_next (
    id integer primary key autoincrement,
    data_set_id integer not null,
    chain_piece_id text not null,
    copy_id integer not null,
    content_id integer not null,
    state text not null check (state in ('pending', 'submitting', 'submitted', 'uncertain', 'scheduled', 'removed', 'data_set_ended')),
    attempt_id integer,
    created_at bigint not null,
    updated_at bigint not null,
    piece_cid text,
    withheld_task_id integer,
    check ((attempt_id is null) = (state = 'pending') or state in ('scheduled', 'removed', 'data_set_ended'))
  )`,
  `insert into removals_next (${columns}, state)
     select ${columns}, case state when 'moot' then 'data_set_ended' else state end from removals`,
  // Ids of deleted rows are not reused either.
  "delete from sqlite_sequence where name = 'removals_next'",
  "insert into sqlite_sequence (name, seq) select 'removals_next', seq from sqlite_sequence where name = 'removals'",
  'drop table removals',
  'alter table removals_next rename to removals',
  `create unique index removals_piece on removals (data_set_id, chain_piece_id) where state not in ${ended}`,
  `create index removals_open on removals (data_set_id, state, id) where state not in ${ended}`,
  `create index removals_of_copy on removals (copy_id) where state not in ${ended}`,
  'create index removals_withheld on removals (withheld_task_id, data_set_id, id) where withheld_task_id is not null',
])
