import { defineMigration } from '#kernel'

/** Pieces of contents, the data sets that hold them, and the attempts to put them on chain. On-chain numbers are decimal text. */
export const copiesMigration = defineMigration('0002-copies', [
  `create table replica_slots (
    bucket_id integer not null,
    slot integer not null check (slot between 0 and 7),
    current_data_set_id integer not null,
    primary key (bucket_id, slot)
  )`,
  `create table data_sets (
    id integer primary key,
    bucket_id integer not null,
    slot integer not null,
    generation integer not null,
    provider_id text not null,
    provider_address text not null,
    payee text not null,
    service_url text not null,
    client_data_set_id text not null unique,
    chain_id text unique,
    state text not null check (state in ('planned', 'creating', 'ready', 'write_blocked', 'retiring', 'retired', 'abandoning', 'abandoned', 'lost')),
    create_extra_data text,
    create_tx text,
    create_started_at bigint,
    last_error_code text,
    last_error text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create unique index data_sets_generation on data_sets (bucket_id, slot, generation)',
  // One live service per provider and bucket: two would pay twice for the same safety.
  "create unique index data_sets_provider on data_sets (bucket_id, provider_id) where state not in ('retired', 'abandoned')",
  `create table pieces (
    id integer primary key,
    content_id integer not null,
    part_no integer not null,
    offset_bytes bigint not null,
    length bigint not null,
    piece_cid text
  )`,
  'create unique index pieces_part on pieces (content_id, part_no)',
  'create index pieces_cid on pieces (piece_cid) where piece_cid is not null',
  `create table copies (
    id integer primary key,
    piece_id integer not null,
    content_id integer not null,
    data_set_id integer not null,
    slot integer not null,
    state text not null check (state in ('planned', 'transferring', 'parked', 'batched', 'unconfirmed', 'attention', 'committed', 'failed', 'lost', 'removed')),
    method text not null check (method in ('store', 'pull')),
    chain_piece_id text,
    uploaded_at bigint,
    parked_at bigint,
    attempts integer not null default 0,
    next_attempt_at bigint not null default 0,
    batch_id integer,
    last_error_code text,
    last_error text,
    committed_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    check (state <> 'committed' or chain_piece_id is not null)
  )`,
  'create unique index copies_place on copies (piece_id, data_set_id)',
  'create index copies_work on copies (data_set_id, state, next_attempt_at, id)',
  'create index copies_content on copies (content_id)',
  `create table commit_batches (
    id integer primary key,
    data_set_id integer not null,
    method text not null check (method in ('store', 'pull')),
    state text not null check (state in ('pulling', 'ready', 'submitting', 'submitted', 'uncertain', 'confirmed', 'closed')),
    nonce text not null unique,
    extra_data text not null,
    tx_hash text,
    submit_started_at bigint,
    next_check_at bigint not null default 0,
    checks integer not null default 0,
    attention_at bigint,
    reason_code text,
    last_error text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  "create index commit_batches_open on commit_batches (data_set_id, state, id) where state not in ('confirmed', 'closed')",
  `create table commit_items (
    batch_id integer not null,
    ordinal integer not null,
    copy_id integer not null,
    piece_cid text not null,
    primary key (batch_id, ordinal)
  )`,
  'create index commit_items_copy on commit_items (copy_id)',
])
