import { createTable, createTrigger, defineMigration } from '#kernel'

const counter = 'bigint not null default 0'

/** Adds the living member of a row of `pack_members` to its pack, or takes it away. */
const count = (row: 'old' | 'new', sign: '+' | '-') =>
  `update packs set members = members ${sign} 1, living_bytes = living_bytes ${sign} ${row}.length,
     versions = versions ${sign} (select c.ref_count from contents c where c.id = ${row}.content_id),
     current_versions = current_versions ${sign} (select c.current_count from contents c where c.id = ${row}.content_id)
   where content_id = ${row}.pack_id`

export const packColumns = () => ({
  content_id: 'bigint not null primary key references contents (id)',
  bucket_id: 'bigint not null references buckets (id)',
  created_at: 'bigint not null',
  members: counter,
  living_bytes: counter,
  versions: counter,
  current_versions: counter,
})

/** Count the members of a pack and their versions. */
export const packCounts = [
  ...createTrigger({ name: 'pack_members_came', event: 'after insert on pack_members', does: [count('new', '+')] }),
  ...createTrigger({ name: 'pack_members_went', event: 'after delete on pack_members', does: [count('old', '-')] }),
  ...createTrigger({
    name: 'pack_members_moved',
    event: 'after update of pack_id on pack_members',
    when: 'old.pack_id <> new.pack_id',
    does: [count('old', '-'), count('new', '+')],
  }),
  ...createTrigger({
    name: 'pack_versions_changed',
    event: 'after update of ref_count, current_count on contents',
    when: 'old.ref_count <> new.ref_count or old.current_count <> new.current_count',
    does: [
      `update packs set versions = versions + new.ref_count - old.ref_count,
          current_versions = current_versions + new.current_count - old.current_count
        where content_id = (select m.pack_id from pack_members m where m.content_id = new.id)`,
    ],
  }),
]

/**
 * Packs: contents that hold the bytes of others, their members. The state and the copies of a member follow those of its pack by a
 * trigger, which acts on contents with holds only. A member of a lost pack that is cached is not lost: it can be packed again. Triggers also
 * count the members and their versions, because data sets show their sums.
 */
export const packsMigration = defineMigration('0030-packs', [
  createTable({
    name: 'packs',
    columns: packColumns,
  }),
  'create index packs_of_bucket on packs (bucket_id, content_id)',
  createTable({
    name: 'pack_members',
    columns: () => ({
      content_id: 'bigint not null primary key references contents (id)',
      pack_id: 'bigint not null references packs (content_id)',
      offset_bytes: 'bigint not null',
      length: 'bigint not null',
    }),
  }),
  'create index pack_members_of_pack on pack_members (pack_id, offset_bytes)',
  createTable({
    name: 'waiting_members',
    columns: () => ({
      content_id: 'bigint not null primary key references contents (id)',
      bucket_id: 'bigint not null references buckets (id)',
      length: 'bigint not null',
      added_at: 'bigint not null',
    }),
  }),
  'create index waiting_members_of_bucket on waiting_members (bucket_id, content_id)',
  ...createTrigger({
    name: 'pack_members_changed',
    event: 'after update of store_state, durable_copies, readable_copies on contents',
    when: `new.hold_count > 0 and (old.store_state <> new.store_state or old.durable_copies <> new.durable_copies
      or old.readable_copies <> new.readable_copies)`,
    does: [
      `update contents set durable_copies = new.durable_copies, readable_copies = new.readable_copies, updated_at = new.updated_at,
          store_state = case when new.store_state = 'lost' and exists (select 1 from cache_entries e
            where e.content_id = contents.id and e.state = 'present') then 'unstored' else new.store_state end
        where id in (select m.content_id from pack_members m where m.pack_id = new.id)`,
    ],
  }),
  ...packCounts,
])
