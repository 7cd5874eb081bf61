import { defineMigration } from '#kernel'

/** A deleted bucket keeps its row until no plugin needs it. Its name moves to `deleted_name`, so that the name is free at once. */
export const deletedBucketsMigration = defineMigration('0021-deleted-buckets', [
  'alter table buckets add column deleted_at bigint',
  { sqlite: 'alter table buckets add column deleted_name text', postgres: 'alter table buckets add column deleted_name text collate "C"' },
  // The row of a bucket can be deleted now: the foreign key is checked.
  'create index contents_of_bucket on contents (bucket_id)',
  'create index buckets_deleted on buckets (id) where deleted_at is not null',
])
