import { createTable, createTrigger, defineMigration, rebuildTable } from '#kernel'

const counter = 'bigint not null default 0'
const flag = 'integer not null default 0'
/** Triggers that name tables which are rebuilt. */
const formerTriggers = [
  ...['changed', 'came', 'rose', 'fell', 'moved', 'went'].map((name) => `data_set_versions_${name}`),
  ...['came', 'moved', 'went'].map((name) => `content_heads_${name}`),
]

/**
 * The tables of storage on both engines, with foreign keys. PostgreSQL gets them here; on SQLite they are rebuilt with the rows and ids
 * of 0001 to 0016, because SQLite cannot add a key to a table. Ids of contents are never reused: a task may outlive its content and must
 * not affect another one. Triggers for the tables of replication are made by its own migration.
 */
export const bothEnginesMigration = defineMigration('0017-both-engines', [
  ...formerTriggers.map((name) => ({ sqlite: `drop trigger ${name}` })),
  ...repairContents(),

  createOnPostgres({
    name: 'buckets',
    columns: ({ id, text }) => ({
      id,
      name: `${text} not null unique`,
      owner_access_key: text,
      default_copies: 'integer not null',
      minimum_durable_copies: 'integer not null',
      created_at: 'bigint not null',
      updated_at: 'bigint not null',
    }),
  }),
  { postgres: 'create index buckets_of_owner on buckets (owner_access_key)' },
  ...rebuildTable({
    name: 'bucket_stats',
    columns: ({ key }) => ({
      bucket_id: `${key} references buckets (id)`,
      live_objects: counter,
      live_bytes: counter,
      versions: counter,
      version_bytes: counter,
      tombstones: counter,
    }),
  }),

  ...rebuildTable({
    name: 'contents',
    columns: ({ id, text }) => ({
      id,
      bucket_id: 'bigint not null references buckets (id)',
      identity: `${text} not null`,
      size: 'bigint not null',
      sha256: text,
      state: `${text} not null default 'live'`,
      ref_count: 'integer not null',
      target_copies: 'integer not null',
      durable_copies: flag,
      readable_copies: flag,
      store_state: `${text} not null default 'unstored'`,
      created_at: 'bigint not null',
      updated_at: 'bigint not null',
      current_count: counter,
    }),
  }),
  `create unique index contents_by_identity on contents (bucket_id, identity, size) where state = 'live'`,
  `create index contents_unsettled on contents (bucket_id, store_state, id) where store_state <> 'stored'`,
  `create index contents_deleting on contents (id) where state = 'deleting'`,

  ...rebuildTable({
    name: 'object_versions',
    columns: ({ text }) => ({
      bucket_id: 'bigint not null references buckets (id)',
      key: `${text} not null`,
      rseq: 'bigint not null',
      version_id: `${text} not null`,
      content_id: 'bigint references contents (id)',
      is_delete_marker: 'integer not null',
      size: 'bigint not null',
      etag: `${text} not null`,
      content_type: `${text} not null`,
      headers: text,
      user_metadata: text,
      checksums: text,
      created_at: 'bigint not null',
    }),
    constraints: ['primary key (bucket_id, key, rseq)'],
    isWithoutRowid: true,
  }),
  'create unique index object_versions_by_id on object_versions (version_id)',
  'create index object_versions_of_content on object_versions (content_id) where content_id is not null',
  'create index object_versions_markers on object_versions (bucket_id, version_id, key) where is_delete_marker = 1',
  'create index object_versions_markers_of_key on object_versions (bucket_id, key, version_id) where is_delete_marker = 1',

  ...rebuildTable({
    name: 'object_heads',
    columns: ({ text }) => ({
      bucket_id: 'bigint not null references buckets (id)',
      key: `${text} not null`,
      version_id: `${text} not null`,
      rseq: 'bigint not null',
      content_id: 'bigint not null',
      size: 'bigint not null',
      etag: `${text} not null`,
      last_modified: 'bigint not null',
      id: 'bigint',
    }),
    constraints: ['primary key (bucket_id, key)'],
    isWithoutRowid: true,
  }),
  ...rebuildTable({
    name: 'object_tombstones',
    columns: ({ text }) => ({
      bucket_id: 'bigint not null references buckets (id)',
      key: `${text} not null`,
      marker_version_id: `${text} not null`,
      rseq: 'bigint not null',
      deleted_at: 'bigint not null',
      is_restorable: 'integer not null',
    }),
    constraints: ['primary key (bucket_id, key)'],
    isWithoutRowid: true,
  }),
  'create index object_tombstones_restorable on object_tombstones (bucket_id, key) where is_restorable = 1',

  ...rebuildTable({ name: 'object_ids', columns: ({ reusedId }) => ({ last: reusedId }) }),
  ...createTrigger({
    name: 'object_heads_numbered',
    event: 'after insert on object_heads',
    when: 'new.id is null',
    does: [
      { sqlite: 'update object_ids set last = last + 1' },
      {
        sqlite: 'update object_heads set id = (select last from object_ids) where bucket_id = new.bucket_id and key = new.key',
        // A row would be locked until the commit; the sequence of its column is not.
        postgres: `update object_heads set id = nextval(pg_get_serial_sequence('object_ids', 'last')) where bucket_id = new.bucket_id and key = new.key`,
      },
    ],
  }),
  ...createTrigger({ name: 'content_heads_came', event: 'after insert on object_heads', does: [countCurrent('new.content_id', '+')] }),
  ...createTrigger({
    name: 'content_heads_moved',
    event: 'after update of content_id on object_heads',
    when: 'old.content_id <> new.content_id',
    does: [countCurrent('old.content_id', '-'), countCurrent('new.content_id', '+')],
  }),
  ...createTrigger({ name: 'content_heads_went', event: 'after delete on object_heads', does: [countCurrent('old.content_id', '-')] }),

  ...rebuildTable({
    name: 'cache_entries',
    columns: ({ key, text }) => ({
      content_id: `${key} references contents (id)`,
      state: `${text} not null default 'present'`,
      bytes: 'bigint not null',
      releasable: flag,
      accessed_at: 'bigint not null',
      cached_at: 'bigint not null',
      awaits_proof: flag,
    }),
  }),
  `create index cache_entries_evictable on cache_entries (accessed_at, content_id) where state = 'present' and releasable = 1`,
  `create index cache_entries_evicting on cache_entries (content_id) where state = 'evicting'`,
  ...rebuildTable({
    name: 'cache_blobs',
    columns: ({ text }) => ({
      blob_id: `${text} not null primary key`,
      content_id: 'bigint references contents (id)',
      ordinal: 'integer not null',
      length: 'bigint not null',
      epoch: 'bigint not null',
    }),
    isWithoutRowid: true,
  }),
  // Covering index for reads.
  'create index cache_blobs_of_content on cache_blobs (content_id, ordinal, length, epoch)',
  createOnPostgres({ name: 'cache_epochs', columns: () => ({ epoch: 'bigint not null primary key', swept_at: 'bigint' }) }),
  createOnPostgres({ name: 'copy_keepers', columns: ({ text }) => ({ name: `${text} primary key`, was_absent: flag }) }),
])

function countCurrent(content: string, sign: '+' | '-') {
  return `update contents set current_count = current_count ${sign} 1 where id = ${content}`
}

/** SQLite has the table, and it needs no key. */
function createOnPostgres(table: Parameters<typeof createTable>[0]) {
  const { postgres } = createTable(table)
  return { postgres }
}

/**
 * Contents that other rows refer to and that are missing: earlier versions of svc deleted contents while the plugin that kept their copies
 * was disabled. With versions a content becomes live again, `lost` without cached bytes, so that its versions stay listed. With copies only it becomes `deleting`, and the
 * next start with its keeper removes them: until then they are paid for.
 */
function repairContents() {
  const columns = 'id, bucket_id, identity, size, state, ref_count, target_copies, store_state, created_at, updated_at'
  return [
    {
      sqlite: `insert into contents (${columns}, current_count)
        select v.content_id, min(v.bucket_id), 'missing:' || v.content_id, max(v.size), 'live', count(*), coalesce(max(b.default_copies), 1),
          iif(exists (select 1 from cache_entries e where e.content_id = v.content_id), 'unstored', 'lost'), min(v.created_at), max(v.created_at),
          (select count(*) from object_heads h where h.content_id = v.content_id)
        from object_versions v left join buckets b on b.id = v.bucket_id where v.content_id is not null and not exists (select 1 from contents c where c.id = v.content_id) group by v.content_id`,
    },
    {
      sqlite: `insert into contents (${columns})
        select k.content_id, min(d.bucket_id), 'missing:' || k.content_id, coalesce(max(p.length), 0), 'deleting', 0, 1, 'unstored', min(k.created_at), max(k.updated_at)
        from copies k join data_sets d on d.id = k.data_set_id left join pieces p on p.id = k.piece_id
        where not exists (select 1 from contents c where c.id = k.content_id) group by k.content_id`,
    },
    {
      // The files of cached bytes whose rows are set aside are deleted.
      sqlite: `update cache_epochs set swept_at = null where epoch in (select b.epoch from cache_blobs b
        where b.content_id is not null and not exists (select 1 from contents c where c.id = b.content_id))`,
    },
    {
      sqlite: `update copy_keepers set was_absent = 1
        where exists (select 1 from contents c join copies k on k.content_id = c.id where c.identity like 'missing:%')`,
    },
  ]
}
