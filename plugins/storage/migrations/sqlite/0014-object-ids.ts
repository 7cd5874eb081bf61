import { defineMigration } from '#kernel'

/** A number for each current object, kept while the object stays current: lists show it as `id`. */
export const objectIdsMigration = defineMigration('0014-object-ids', [
  'alter table object_heads add column id integer',
  `update object_heads set id = numbered.id
     from (select bucket_id, key, row_number() over (order by bucket_id, key) as id from object_heads) numbered
     where numbered.bucket_id = object_heads.bucket_id and numbered.key = object_heads.key`,
  'create table object_ids (last bigint not null)',
  'insert into object_ids (last) select count(*) from object_heads',
  // A trigger gives the id: heads are inserted in several places, and an overwrite, which updates its head, keeps the id.
  `create trigger object_heads_numbered after insert on object_heads when new.id is null begin
    update object_ids set last = last + 1;
    update object_heads set id = (select last from object_ids) where bucket_id = new.bucket_id and key = new.key; end`,
])
