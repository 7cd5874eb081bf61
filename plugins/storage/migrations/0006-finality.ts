import { defineMigration } from '#kernel'

/** A committed copy `c` whose place on chain a later copy claims as well: one of the two was taken back by a reorganisation. */
const isDisplaced = `c.state = 'committed' and exists (select 1 from copies o where o.data_set_id = c.data_set_id
  and o.chain_piece_id = c.chain_piece_id and o.state = 'committed'
  and (coalesce(o.batch_id, 0), o.id) > (coalesce(c.batch_id, 0), c.id))`

/** Until when landed batches and data sets are verified again on chain, one copy per place on chain, and removals that name their piece. */
export const finalityMigration = defineMigration('0006-finality', [
  // What the nonce book said, and the newest epoch at which it did. Null in rows of earlier versions: taken from the next look.
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

  // A batch with a displaced copy is in doubt as a whole. No batch can have the id 0, so the next look sends it to its nonce.
  'create table displaced (copy_id integer primary key, content_id integer not null, batch_id integer)',
  `insert into displaced select c.id, c.content_id, c.batch_id from copies c where ${isDisplaced}`,
  `insert into displaced select c.id, c.content_id, c.batch_id from copies c where c.state = 'committed'
     and c.batch_id in (select batch_id from displaced) and c.id not in (select copy_id from displaced)`,
  "update commit_batches set next_piece_id = '0' where id in (select batch_id from displaced)",
  `update copies set state = 'unconfirmed', chain_piece_id = null, committed_at = null where id in (select copy_id from displaced)`,
  `delete from removals where state = 'pending' and copy_id in (select copy_id from displaced)`,
  // A request is kept as the record of it. What was asked for in a data set that is lost ended with it, and its copies may be forgotten.
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
  // After a reorganisation another piece may have the id of one that was removed before.
  'drop index removals_piece',
  "create unique index removals_piece on removals (data_set_id, chain_piece_id) where state not in ('removed', 'moot')",
])
