import { defineMigration } from '#kernel'

/** A committed copy `c` whose piece id a later copy has too: a reorganisation removed one of the two. */
const isDisplaced = `c.state = 'committed' and exists (select 1 from copies o where o.data_set_id = c.data_set_id
  and o.chain_piece_id = c.chain_piece_id and o.state = 'committed'
  and (coalesce(o.batch_id, 0), o.id) > (coalesce(c.batch_id, 0), c.id))`

/** Schedule for verifying landed batches and data sets until they are final, unique piece ids, and piece CIDs of removals. */
export const finalityMigration = defineMigration('0006-finality', [
  // Nonce outcome on chain, and the newest epoch at which it was read. Null in older rows until the next check.
  'alter table commit_batches add column next_piece_id text',
  'alter table commit_batches add column landed_epoch bigint',
  'alter table commit_batches add column final_at bigint',
  "create index commit_batches_unfinal on commit_batches (next_check_at, id) where state = 'confirmed' and final_at is null",
  "create index commit_batches_unfinal_of_set on commit_batches (data_set_id, id) where state = 'confirmed' and final_at is null",
  "update commit_batches set next_check_at = 0, checks = 0 where state = 'confirmed'",

  'alter table data_sets add column landed_epoch bigint',
  'alter table data_sets add column final_at bigint',
  'alter table data_sets add column next_look_at bigint not null default 0',
  'alter table data_sets add column looks integer not null default 0',
  'create index data_sets_unfinal on data_sets (next_look_at, id) where chain_id is not null and final_at is null',

  // All copies of a batch with a displaced copy are uncertain. next_piece_id 0 is impossible, so the next check reads the nonce again.
  'create table displaced (copy_id integer primary key, content_id integer not null, batch_id integer)',
  `insert into displaced select c.id, c.content_id, c.batch_id from copies c where ${isDisplaced}`,
  `insert into displaced select c.id, c.content_id, c.batch_id from copies c where c.state = 'committed'
     and c.batch_id in (select batch_id from displaced) and c.id not in (select copy_id from displaced)`,
  "update commit_batches set next_piece_id = '0' where id in (select batch_id from displaced)",
  `update copies set state = 'unconfirmed', chain_piece_id = null, committed_at = null where id in (select copy_id from displaced)`,
  `delete from removals where state = 'pending' and copy_id in (select copy_id from displaced)`,
  // Submitted removals are kept as a record. Removals in a lost data set ended with it, and their copies may be deleted.
  `update removals set state = 'moot' where state not in ('removed', 'moot') and (copy_id in (select copy_id from displaced)
     or data_set_id in (select id from data_sets where state = 'lost'))`,
  `update contents set store_state = 'storing', durable_copies = (select count(distinct c.slot) from copies c
       join data_sets d on d.id = c.data_set_id
       where c.content_id = contents.id and c.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring'))
     where id in (select content_id from displaced)`,
  'update cache_entries set releasable = 0 where content_id in (select content_id from displaced)',
  'drop table displaced',
  "create unique index copies_on_chain on copies (data_set_id, chain_piece_id) where state = 'committed'",

  'alter table removals add column piece_cid text',
  'update removals set piece_cid = (select p.piece_cid from copies c join pieces p on p.id = c.piece_id where c.id = removals.copy_id)',
  // After a reorganisation another piece may have the id of a removed one.
  'drop index removals_piece',
  "create unique index removals_piece on removals (data_set_id, chain_piece_id) where state not in ('removed', 'moot')",
])
