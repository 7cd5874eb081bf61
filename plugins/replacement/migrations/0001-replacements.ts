import { createTable, defineMigration } from '#kernel'

const open = "status not in ('completed', 'superseded')"

/** The condition of partial indexes is repeated by the statements that use them. */
export const replacementsMigration = defineMigration('0001-replacements', [
  createTable({
    name: 'replacements',
    columns: ({ id, text }) => ({
      id,
      bucket_id: 'bigint not null',
      slot: 'integer not null',
      origin: `${text} not null check (origin in ('operator', 'repair'))`,
      mode: `${text} not null check (mode in ('automatic', 'manual'))`,
      client_request_id: `${text} not null unique`,
      requested_provider_id: text,
      source_id: 'bigint not null',
      target_id: 'bigint not null',
      provider_id: `${text} not null`,
      status: `${text} not null`,
      phase: `${text} not null check (phase in ('prepare', 'migrate', 'retire', 'none'))`,
      wait_reason: text,
      wait_message: text,
      last_error: text,
      failure_reason: text,
      superseded_by_id: 'bigint',
      taken_over_at: 'bigint',
      termination_epoch: text,
      seeding_id: 'bigint',
      seeded_to: 'bigint not null default 0',
      is_seeded: 'integer not null default 0',
      swept_to: 'bigint not null default 0',
      items_total: 'bigint not null default 0',
      items_copied: 'bigint not null default 0',
      items_no_longer_needed: 'bigint not null default 0',
      created_at: 'bigint not null',
      updated_at: 'bigint not null',
      finished_at: 'bigint',
    }),
  }),
  'create index replacements_of_bucket on replacements (bucket_id, id)',
  'create index replacements_by_status on replacements (status, id)',
  `create unique index replacements_open_slot on replacements (bucket_id, slot) where ${open}`,
  `create unique index replacements_open_target on replacements (target_id) where ${open}`,
  createTable({
    name: 'replacement_items',
    columns: ({ text }) => ({
      replacement_id: 'bigint not null references replacements (id)',
      content_id: 'bigint not null',
      state: `${text} not null`,
      next_attempt_at: 'bigint',
    }),
    constraints: ['primary key (replacement_id, content_id)'],
    isWithoutRowid: true,
  }),
  `create index replacement_items_outstanding on replacement_items (content_id) where state not in ('copied', 'no_longer_needed')`,
  'create index replacement_items_by_state on replacement_items (replacement_id, state, next_attempt_at)',
])
