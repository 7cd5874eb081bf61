import { createTable, defineMigration } from '#kernel'
import { packColumns, packCounts } from './0030-packs.ts'

const triggers = ['pack_members_came', 'pack_members_went', 'pack_members_moved', 'pack_versions_changed']
const columns = Object.keys(packColumns()).filter((name) => name !== 'bucket_id')
const bucket = '(select c.bucket_id from contents c where c.id = packs.content_id)'

/** Early databases made `packs` without its bucket, under the name of 0030: no pack could be sealed in them. The others keep what they have. */
export const packsOfBucketMigration = defineMigration('0031-packs-of-bucket', [
  ...triggers.map((name) => ({ sqlite: `drop trigger ${name}` })),
  { sqlite: createTable({ name: 'packs_next', columns: packColumns }).sqlite },
  { sqlite: `insert into packs_next (bucket_id, ${columns.join(', ')}) select ${bucket}, ${columns.join(', ')} from packs` },
  { sqlite: 'drop table packs' },
  { sqlite: 'alter table packs_next rename to packs' },
  // Triggers stay on PostgreSQL.
  ...packCounts.flatMap((text) => (typeof text === 'string' || text.sqlite === undefined ? [] : [{ sqlite: text.sqlite }])),
  { postgres: 'alter table packs add column if not exists bucket_id bigint references buckets (id)' },
  { postgres: `update packs set bucket_id = ${bucket} where bucket_id is null` },
  { postgres: 'alter table packs alter column bucket_id set not null' },
  'create index if not exists packs_of_bucket on packs (bucket_id, content_id)',
])
