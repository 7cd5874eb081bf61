import { defineMigration } from '#kernel'

const addTo = (dataSet: string, piece: string, sign: '+' | '-') =>
  `update data_set_totals set committed_copies = committed_copies ${sign} 1,
     committed_bytes = committed_bytes ${sign} (select length from pieces where id = ${piece}) where data_set_id = ${dataSet}`

/** Indexes and totals for lists and details, so that they do not read more rows than they return. */
export const listReadsMigration = defineMigration('0004-list-reads', [
  'create index object_versions_markers_of_key on object_versions (bucket_id, key, version_id) where is_delete_marker = 1',
  "create index copies_committed on copies (data_set_id, content_id) where state = 'committed'",

  // Maintained by triggers, because copies are committed and lost in many places, and one missed update would make a total permanently wrong.
  `create table data_set_totals (
    data_set_id integer primary key,
    committed_copies bigint not null default 0,
    committed_bytes bigint not null default 0
  )`,
  `insert into data_set_totals (data_set_id, committed_copies, committed_bytes)
     select d.id, count(p.id), coalesce(sum(p.length), 0) from data_sets d
     left join copies c on c.data_set_id = d.id and c.state = 'committed' left join pieces p on p.id = c.piece_id group by d.id`,
  `create trigger data_set_totals_began after insert on data_sets begin
    insert into data_set_totals (data_set_id) values (new.id) on conflict do nothing; end`,
  `create trigger data_set_totals_came after insert on copies when new.state = 'committed' begin ${addTo('new.data_set_id', 'new.piece_id', '+')}; end`,
  `create trigger data_set_totals_rose after update of state on copies when old.state <> 'committed' and new.state = 'committed'
    begin ${addTo('new.data_set_id', 'new.piece_id', '+')}; end`,
  `create trigger data_set_totals_fell after update of state on copies when old.state = 'committed' and new.state <> 'committed'
    begin ${addTo('old.data_set_id', 'old.piece_id', '-')}; end`,
  `create trigger data_set_totals_went after delete on copies when old.state = 'committed' begin ${addTo('old.data_set_id', 'old.piece_id', '-')}; end`,
])
