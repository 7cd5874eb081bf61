import { createTable, defineMigration } from '#kernel'

/**
 * Uploads in parts. The file of a part belongs to its upload until a completion gives it to a content. A file without a SHA-256 of its own
 * is all of its content, whose row has the SHA-256.
 */
export const uploadsMigration = defineMigration('0019-uploads', [
  createTable({
    name: 'uploads',
    columns: ({ text }) => ({
      upload_id: `${text} not null primary key`,
      bucket_id: 'bigint not null references buckets (id)',
      key: `${text} not null`,
      state: `${text} not null default 'open'`,
      content_type: `${text} not null`,
      headers: text,
      user_metadata: text,
      tags: text,
      checksum_algorithm: text,
      checksum_type: text,
      initiator: text,
      created_at: 'bigint not null',
      active_at: 'bigint not null',
      version_id: text,
      named_parts: text,
    }),
  }),
  'create index uploads_of_bucket on uploads (bucket_id, state, key, upload_id)',
  'create index uploads_by_activity on uploads (state, active_at, upload_id)',
  createTable({
    name: 'upload_parts',
    columns: ({ text }) => ({
      upload_id: `${text} not null references uploads (upload_id)`,
      part_number: 'integer not null',
      size: 'bigint not null',
      md5: `${text} not null`,
      sha256: `${text} not null`,
      checksums: text,
      blob_id: `${text} not null`,
      created_at: 'bigint not null',
    }),
    constraints: ['primary key (upload_id, part_number)'],
    isWithoutRowid: true,
  }),
  {
    sqlite: 'alter table cache_blobs add column upload_id text references uploads (upload_id)',
    postgres: 'alter table cache_blobs add column upload_id text collate "C" references uploads (upload_id)',
  },
  { sqlite: 'alter table cache_blobs add column sha256 text', postgres: 'alter table cache_blobs add column sha256 text collate "C"' },
  'create index cache_blobs_of_upload on cache_blobs (upload_id, length) where upload_id is not null',
  'drop index cache_blobs_of_content',
  // Covering index for reads.
  'create index cache_blobs_of_content on cache_blobs (content_id, ordinal, length, epoch, sha256)',
  {
    sqlite: 'alter table object_versions add column multipart_parts text',
    postgres: 'alter table object_versions add column multipart_parts text collate "C"',
  },
])
