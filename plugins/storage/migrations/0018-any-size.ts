import { createTable, createTrigger, defineMigration } from '#kernel'

const counter = 'integer not null default 0'

const least = (column: string) =>
  `${column} = (select p.${column} from content_parts p where p.content_id = contents.id order by p.${column} limit 1)`

const hasPart = (state: string) => `exists (select 1 from content_parts p where p.content_id = contents.id and p.store_state = '${state}')`

/**
 * Composite contents: ordered lists of contents. The state and the copies of a composite follow those of its parts by a trigger, which finds
 * them by indexes however many parts there are. It acts on contents with holds only, so others cost nothing.
 */
export const anySizeMigration = defineMigration('0018-any-size', [
  `alter table contents add column part_count ${counter}`,
  `alter table contents add column hold_count ${counter}`,
  'create index contents_composite on contents (bucket_id, id) where part_count > 0',

  createTable({
    name: 'content_parts',
    columns: ({ text }) => ({
      content_id: 'bigint not null references contents (id)',
      part_no: 'integer not null',
      part_content_id: 'bigint not null references contents (id)',
      offset_bytes: 'bigint not null',
      length: 'bigint not null',
      store_state: `${text} not null`,
      durable_copies: 'integer not null',
      readable_copies: 'integer not null',
    }),
    constraints: ['primary key (content_id, part_no)'],
    isWithoutRowid: true,
  }),
  'create index content_parts_of_part on content_parts (part_content_id, content_id)',
  'create index content_parts_by_state on content_parts (content_id, store_state)',
  'create index content_parts_by_durable on content_parts (content_id, durable_copies)',
  'create index content_parts_by_readable on content_parts (content_id, readable_copies)',
  ...createTrigger({
    name: 'content_parts_changed',
    event: 'after update of store_state, durable_copies, readable_copies on contents',
    when: `new.hold_count > 0 and (old.store_state <> new.store_state or old.durable_copies <> new.durable_copies
      or old.readable_copies <> new.readable_copies)`,
    does: [
      `update content_parts set store_state = new.store_state, durable_copies = new.durable_copies, readable_copies = new.readable_copies
        where part_content_id = new.id`,
      `update contents set ${least('durable_copies')}, ${least('readable_copies')}, updated_at = new.updated_at,
          store_state = case ${['lost', 'failed', 'storing', 'unstored'].map((state) => `when ${hasPart(state)} then '${state}'`).join(' ')} else 'stored' end
        where id in (select content_id from content_parts where part_content_id = new.id)`,
    ],
  }),

  createTable({
    name: 'held_parts',
    columns: ({ text }) => ({
      holder: `${text} not null`,
      part_no: 'integer not null',
      content_id: 'bigint not null references contents (id)',
      offset_bytes: 'bigint not null',
      length: 'bigint not null',
      epoch: 'bigint',
    }),
    constraints: ['primary key (holder, part_no)'],
    isWithoutRowid: true,
  }),
  'create index held_parts_of_content on held_parts (content_id, holder)',
  'create index held_parts_of_epoch on held_parts (epoch, holder) where epoch is not null',
])
