import { defineMigration } from '#kernel'

/**
 * Buckets, object versions, contents and the cache. Keys are compared by their UTF-8 bytes. `rseq` is the negated sequence number of a
 * version within its key, so that the current version is the first row. `object_heads` contains the keys whose current version has bytes,
 * `object_tombstones` the others, so that a listing does not scan deleted keys.
 */
export const objectsMigration = defineMigration('0001-objects', [
  `create table buckets (
    id integer primary key autoincrement,
    name text not null unique,
    owner_access_key text,
    default_copies integer not null,
    minimum_durable_copies integer not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index buckets_of_owner on buckets (owner_access_key)',

  `create table bucket_stats (
    bucket_id integer primary key,
    live_objects bigint not null default 0,
    live_bytes bigint not null default 0,
    versions bigint not null default 0,
    version_bytes bigint not null default 0,
    tombstones bigint not null default 0
  )`,

  // Ids are never reused: a task may outlive its content and must not affect another one.
  `create table contents (
    id integer primary key autoincrement,
    bucket_id integer not null,
    identity text not null,
    size bigint not null,
    sha256 text,
    state text not null default 'live',
    ref_count integer not null,
    target_copies integer not null,
    durable_copies integer not null default 0,
    readable_copies integer not null default 0,
    store_state text not null default 'unstored',
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create unique index contents_by_identity on contents (bucket_id, identity, size) where state = 'live'`,
  `create index contents_unsettled on contents (bucket_id, store_state, id) where store_state <> 'stored'`,

  `create table object_versions (
    bucket_id integer not null,
    key text not null,
    rseq bigint not null,
    version_id text not null,
    content_id integer,
    is_delete_marker integer not null,
    size bigint not null,
    etag text not null,
    content_type text not null,
    headers text,
    user_metadata text,
    checksums text,
    created_at bigint not null,
    primary key (bucket_id, key, rseq)
  ) without rowid`,
  'create unique index object_versions_by_id on object_versions (version_id)',
  'create index object_versions_of_content on object_versions (content_id) where content_id is not null',

  `create table object_heads (
    bucket_id integer not null,
    key text not null,
    version_id text not null,
    rseq bigint not null,
    content_id integer not null,
    size bigint not null,
    etag text not null,
    last_modified bigint not null,
    primary key (bucket_id, key)
  ) without rowid`,

  `create table object_tombstones (
    bucket_id integer not null,
    key text not null,
    marker_version_id text not null,
    rseq bigint not null,
    deleted_at bigint not null,
    is_restorable integer not null,
    primary key (bucket_id, key)
  ) without rowid`,

  `create table cache_entries (
    content_id integer primary key,
    state text not null default 'present',
    bytes bigint not null,
    releasable integer not null default 0,
    accessed_at bigint not null,
    cached_at bigint not null
  )`,
  `create index cache_entries_evictable on cache_entries (accessed_at, content_id) where state = 'present' and releasable = 1`,
  `create index cache_entries_evicting on cache_entries (content_id) where state = 'evicting'`,

  `create table cache_blobs (
    blob_id text not null primary key,
    content_id integer,
    ordinal integer not null,
    length bigint not null,
    epoch bigint not null
  ) without rowid`,
  // Covering index for reads.
  'create index cache_blobs_of_content on cache_blobs (content_id, ordinal, length, epoch)',

  `create table cache_epochs (
    epoch bigint not null primary key,
    swept_at bigint
  )`,
])
