import { defineMigration } from '#kernel'

/** Finds the buckets with an object whose list names everyone, without reading the lists. */
export const publicObjectsMigration = defineMigration('0006-public-objects', [
  'alter table s3_object_access add column public_bucket_id bigint',
  `update s3_object_access set public_bucket_id =
    (select v.bucket_id from object_versions v where v.version_id = s3_object_access.version_id) where grants like '%"everyone"%'`,
  'create index s3_object_access_public on s3_object_access (public_bucket_id) where public_bucket_id is not null',
])
