import { createTable, createTrigger, defineMigration, rebuildTable } from '#kernel'

const counter = 'bigint not null default 0'
const small = 'integer not null default 0'
const hasEnded = "in ('removed', 'data_set_ended')"
const copyRose = "old.state <> 'committed' and new.state = 'committed'"
const copyFell = "old.state = 'committed' and new.state <> 'committed'"

/**
 * The tables of replication on both engines, with foreign keys. On SQLite the migrations of storage made them first: they are rebuilt
 * with their rows and ids. Data sets, batches and attempts of removals are never deleted, so keys to them need no index.
 */
export const bothEnginesMigration = defineMigration('0001-both-engines', [
  // The others are dropped with their tables.
  ...['came', 'rose', 'fell', 'went'].map((name) => ({ sqlite: `drop trigger data_set_totals_${name}` })),
  ...rebuildTable({
    name: 'data_sets',
    columns: ({ reusedId, text }) => ({
      id: reusedId,
      bucket_id: 'bigint not null references buckets (id)',
      slot: 'integer not null',
      generation: 'integer not null',
      provider_id: `${text} not null`,
      provider_address: `${text} not null`,
      payee: `${text} not null`,
      service_url: `${text} not null`,
      client_data_set_id: `${text} not null unique`,
      chain_id: `${text} unique`,
      state: `${text} not null check (state in ('planned', 'creating', 'ready', 'write_blocked', 'retiring', 'retired', 'abandoning', 'abandoned', 'lost'))`,
      create_extra_data: text,
      create_tx: text,
      create_started_at: 'bigint',
      create_sender_nonce: 'bigint',
      gone_seen_at: 'bigint',
      last_error_code: text,
      last_error: text,
      created_at: 'bigint not null',
      updated_at: 'bigint not null',
      landed_epoch: 'bigint',
      final_at: 'bigint',
      next_look_at: counter,
      looks: small,
      // Consecutive answers "not found" or "ended", and until when writes to the data set are paused because of them.
      refusals: small,
      writes_paused_until: 'bigint',
      // Until when the provider throttles pulls. For some time afterwards pulls are small.
      pulls_throttled_until: 'bigint',
      // Earliest time at which the provider may have received the signed creation; null before it is sent.
      create_offered_at: 'bigint',
      piece_bytes_max: 'bigint not null default 1065353216',
    }),
  }),
  'create unique index data_sets_generation on data_sets (bucket_id, slot, generation)',
  // One live data set at most per provider and bucket: a second one would cost more without more redundancy.
  "create unique index data_sets_provider on data_sets (bucket_id, provider_id) where state not in ('retired', 'abandoned')",
  'create index data_sets_unfinal on data_sets (next_look_at, id) where chain_id is not null and final_at is null',
  ...rebuildTable({
    name: 'replica_slots',
    columns: () => ({
      bucket_id: 'bigint not null references buckets (id)',
      slot: 'integer not null check (slot between 0 and 7)',
      current_data_set_id: 'bigint not null references data_sets (id)',
    }),
    constraints: ['primary key (bucket_id, slot)'],
  }),
  { postgres: createTable(refusals()).postgres },
  { postgres: 'create index provider_refusals_of on provider_refusals (provider_id, at)' },

  ...rebuildTable({
    name: 'pieces',
    columns: ({ reusedId, text }) => ({
      id: reusedId,
      content_id: 'bigint not null references contents (id)',
      part_no: 'integer not null',
      offset_bytes: 'bigint not null',
      length: 'bigint not null',
      piece_cid: text,
      is_proven: small,
    }),
  }),
  'create unique index pieces_part on pieces (content_id, part_no)',
  'create index pieces_cid on pieces (piece_cid) where piece_cid is not null',
  ...rebuildTable({
    name: 'piece_chunk_roots',
    columns: ({ key, bytes }) => ({ piece_id: `${key} references pieces (id) on delete cascade`, chunk_roots: `${bytes} not null` }),
  }),

  ...rebuildTable({
    name: 'commit_batches',
    columns: ({ reusedId, text }) => ({
      id: reusedId,
      data_set_id: 'bigint not null references data_sets (id)',
      method: `${text} not null check (method in ('store', 'pull'))`,
      state: `${text} not null check (state in ('pulling', 'ready', 'submitting', 'submitted', 'uncertain', 'confirmed', 'closed'))`,
      nonce: `${text} not null unique`,
      extra_data: `${text} not null`,
      tx_hash: text,
      first_submitted_at: 'bigint',
      submit_started_at: 'bigint',
      next_check_at: counter,
      checks: small,
      sender_nonce: 'bigint',
      attention_at: 'bigint',
      reason_code: text,
      last_error: text,
      created_at: 'bigint not null',
      updated_at: 'bigint not null',
      next_piece_id: text,
      landed_epoch: 'bigint',
      final_at: 'bigint',
    }),
  }),
  "create index commit_batches_open on commit_batches (data_set_id, state, id) where state not in ('confirmed', 'closed')",
  "create index commit_batches_unfinal on commit_batches (next_check_at, id) where state = 'confirmed' and final_at is null",
  "create index commit_batches_unfinal_of_set on commit_batches (data_set_id, id) where state = 'confirmed' and final_at is null",
  ...rebuildTable({
    name: 'commit_items',
    columns: ({ text }) => ({
      batch_id: 'bigint not null references commit_batches (id)',
      ordinal: 'integer not null',
      copy_id: 'bigint not null',
      piece_cid: `${text} not null`,
    }),
    constraints: ['primary key (batch_id, ordinal)'],
  }),
  'create index commit_items_copy on commit_items (copy_id)',

  ...rebuildTable({
    name: 'copies',
    columns: ({ reusedId, text }) => ({
      id: reusedId,
      piece_id: 'bigint not null references pieces (id)',
      content_id: 'bigint not null references contents (id)',
      data_set_id: 'bigint not null references data_sets (id)',
      slot: 'integer not null',
      state: `${text} not null check (state in ('planned', 'transferring', 'parked', 'batched', 'unconfirmed', 'attention', 'committed', 'failed', 'lost', 'removed'))`,
      method: `${text} not null check (method in ('store', 'pull'))`,
      chain_piece_id: text,
      uploaded_at: 'bigint',
      parked_at: 'bigint',
      setbacks: small,
      next_attempt_at: counter,
      batch_id: 'bigint references commit_batches (id)',
      last_error_code: text,
      last_error: text,
      committed_at: 'bigint',
      created_at: 'bigint not null',
      updated_at: 'bigint not null',
    }),
    constraints: ["check (state <> 'committed' or chain_piece_id is not null)"],
  }),
  'create unique index copies_place on copies (piece_id, data_set_id)',
  "create unique index copies_on_chain on copies (data_set_id, chain_piece_id) where state = 'committed'",
  'create index copies_work on copies (data_set_id, state, next_attempt_at, id)',
  "create index copies_lacking on copies (data_set_id, id) where state = 'planned'",
  "create index copies_parked on copies (data_set_id, parked_at, id) where state = 'parked'",
  "create index copies_committed on copies (data_set_id, content_id) where state = 'committed'",
  'create index copies_content on copies (content_id)',
  'create index copies_of_batch on copies (batch_id) where batch_id is not null',
  "create index copies_freed on copies (content_id) where last_error_code = 'freed'",

  ...rebuildTable({
    name: 'removal_attempts',
    columns: ({ id, text }) => ({
      id,
      data_set_id: 'bigint not null references data_sets (id)',
      extra_data: `${text} not null`,
      tx_hash: text,
      started_at: 'bigint not null',
      sender_nonce: 'bigint',
      checks: small,
      attention_task_id: 'bigint',
      last_error: text,
      updated_at: 'bigint not null',
    }),
  }),
  // Kept as a record after the removal, when the copy and the content have gone.
  ...rebuildTable({
    name: 'removals',
    columns: ({ id, text }) => ({
      id,
      data_set_id: 'bigint not null references data_sets (id)',
      chain_piece_id: `${text} not null`,
      copy_id: 'bigint not null',
      content_id: 'bigint not null',
      state: `${text} not null check (state in ('pending', 'submitting', 'submitted', 'uncertain', 'scheduled', 'removed', 'data_set_ended'))`,
      attempt_id: 'bigint references removal_attempts (id)',
      created_at: 'bigint not null',
      updated_at: 'bigint not null',
      piece_cid: text,
      withheld_task_id: 'bigint',
    }),
    constraints: [`check ((attempt_id is null) = (state = 'pending') or state in ('scheduled', 'removed', 'data_set_ended'))`],
  }),
  `create unique index removals_piece on removals (data_set_id, chain_piece_id) where state not ${hasEnded}`,
  `create index removals_open on removals (data_set_id, state, id) where state not ${hasEnded}`,
  `create index removals_of_copy on removals (copy_id) where state not ${hasEnded}`,
  'create index removals_withheld on removals (withheld_task_id, data_set_id, id) where withheld_task_id is not null',

  ...rebuildTable({
    name: 'data_set_totals',
    columns: ({ key }) => ({
      data_set_id: `${key} references data_sets (id)`,
      committed_copies: counter,
      committed_bytes: counter,
      referenced_versions: counter,
      current_versions: counter,
    }),
  }),
  ...countTotals(),
])

function refusals(): Parameters<typeof createTable>[0] {
  return { name: 'provider_refusals', columns: ({ id, text }) => ({ id, provider_id: `${text} not null`, at: 'bigint not null' }) }
}

/**
 * Totals of data sets: a query would read every copy. By trigger, because versions and copies change in many places, and one missed update
 * would make a total permanently wrong. Counted again here: since 0017 of storage ran, contents may have changed without these triggers.
 */
function countTotals() {
  const came = ['new', '+'] as const
  const went = ['old', '-'] as const
  return [
    'delete from data_set_totals',
    `insert into data_set_totals (data_set_id, committed_copies, committed_bytes, referenced_versions, current_versions)
       select d.id, count(p.id), coalesce(sum(p.length), 0), coalesce(sum(c.ref_count), 0), coalesce(sum(c.current_count), 0) from data_sets d
       left join copies k on k.data_set_id = d.id and k.state = 'committed' left join pieces p on p.id = k.piece_id
       left join contents c on c.id = k.content_id group by d.id`,
    ...createTrigger({
      name: 'data_set_totals_began',
      event: 'after insert on data_sets',
      does: ['insert into data_set_totals (data_set_id) values (new.id) on conflict do nothing'],
    }),
    ...createTrigger({
      name: 'data_set_totals_came',
      event: 'after insert on copies',
      when: "new.state = 'committed'",
      does: [addCopy(...came), addVersions(...came)],
    }),
    ...createTrigger({
      name: 'data_set_totals_rose',
      event: 'after update of state on copies',
      when: copyRose,
      does: [addCopy(...came), addVersions(...came)],
    }),
    ...createTrigger({
      name: 'data_set_totals_fell',
      event: 'after update of state on copies',
      when: copyFell,
      does: [addCopy(...went), addVersions(...went)],
    }),
    ...createTrigger({
      name: 'data_set_totals_went',
      event: 'after delete on copies',
      when: "old.state = 'committed'",
      does: [addCopy(...went), addVersions(...went)],
    }),
    ...createTrigger({
      name: 'data_set_versions_moved',
      event: 'after update of content_id on copies',
      when: "old.content_id <> new.content_id and old.state = 'committed' and new.state = 'committed'",
      does: [addVersions(...went), addVersions(...came)],
    }),
    ...createTrigger({
      name: 'data_set_versions_changed',
      event: 'after update of ref_count, current_count on contents',
      when: 'old.ref_count <> new.ref_count or old.current_count <> new.current_count',
      does: [
        `update data_set_totals set referenced_versions = referenced_versions + new.ref_count - old.ref_count,
           current_versions = current_versions + new.current_count - old.current_count
         where data_set_id in (select k.data_set_id from copies k where k.content_id = new.id and k.state = 'committed')`,
      ],
    }),
  ]
}

function addCopy(row: 'new' | 'old', sign: '+' | '-') {
  return `update data_set_totals set committed_copies = committed_copies ${sign} 1,
    committed_bytes = committed_bytes ${sign} coalesce((select length from pieces where id = ${row}.piece_id), 0) where data_set_id = ${row}.data_set_id`
}

function addVersions(row: 'new' | 'old', sign: '+' | '-') {
  return `update data_set_totals set
    referenced_versions = referenced_versions ${sign} coalesce((select ref_count from contents where id = ${row}.content_id), 0),
    current_versions = current_versions ${sign} coalesce((select current_count from contents where id = ${row}.content_id), 0)
    where data_set_id = ${row}.data_set_id`
}
