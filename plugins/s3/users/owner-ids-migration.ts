import { createTable, defineMigration, rebuildTable } from '#kernel'

const newId = {
  sqlite: 'lower(hex(randomblob(32)))',
  postgres: `encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex')`,
}

type Dialect = keyof typeof newId
const forEach = (text: (dialect: Dialect) => string): Readonly<Record<Dialect, string>> => ({
  sqlite: text('sqlite'),
  postgres: text('postgres'),
})

/** The elements of the JSON array `list` as `e`, with their place. */
const elements = (dialect: Dialect, list: string) =>
  dialect === 'sqlite' ? `json_each(${list}) e` : `jsonb_array_elements((${list})::jsonb) with ordinality as e (value, key)`
const grantee = `(e.value ->> 'grantee')`

const idOf = (accessKey: string) => `(select m.owner_id from s3_owner_ids_made m where m.access_key = ${accessKey})`
const grantsOf = (dialect: Dialect, list: string) => {
  const [arrayOf, object] = dialect === 'sqlite' ? ['json_group_array', 'json_object'] : ['jsonb_agg', 'jsonb_build_object']
  const named = `case when ${grantee} like 'id:%' then 'id:' || ${idOf(`substr(${grantee}, 4)`)} else ${grantee} end`
  return `(select ${arrayOf}(${object}('grantee', ${named}, 'permission', e.value ->> 'permission') order by e.key) from ${elements(dialect, list)})`
}

const tablesOfObjects = ['s3_object_access', 's3_upload_access']
const grantsOfBucket = (dialect: Dialect) =>
  dialect === 'sqlite' ? `s3_bucket_settings.document ->> 'grants'` : `s3_bucket_settings.document::jsonb ->> 'grants'`
const hasIds = (text: string) => `${text} like '%"id:%'`
const isBucketAccess = `name = 'access' and ${hasIds('document')}`

/** Users that exist, and those that were deleted and still own something, or are named by a list. */
const mentioned = (dialect: Dialect) => {
  const grantees = (table: string, list: string, where: string) =>
    `select substr(${grantee}, 4) from ${table}, ${elements(dialect, list)} where ${where} and ${grantee} like 'id:%'`
  return [
    'select access_key from s3_users',
    'select initiator from uploads where initiator is not null',
    ...tablesOfObjects.map((table) => `select owner from ${table} where owner is not null`),
    ...tablesOfObjects.map((table) => grantees(table, `${table}.grants`, hasIds('grants'))),
    grantees('s3_bucket_settings', grantsOfBucket(dialect), isBucketAccess),
  ].join(' union ')
}

const usersTable = {
  name: 's3_users',
  columns: ({ text }: { readonly text: string }) => ({
    access_key: `${text} not null primary key`,
    owner_id: `${text} not null`,
    secret_key: `${text} not null`,
    role: `${text} not null check (role in ('user', 'userplus', 'admin'))`,
    created_at: 'bigint not null',
    updated_at: 'bigint not null',
  }),
}
const rebuiltOnSqlite = rebuildTable(usersTable).flatMap((text) =>
  typeof text === 'object' && text.sqlite !== undefined ? [{ sqlite: text.sqlite }] : [],
)

/** Users are named by a random ID instead of their access key, in the owners and the lists of this plugin and the initiators of uploads. */
export const ownerIdsMigration = defineMigration('0005-owner-ids', [
  createTable({
    name: 's3_owner_ids_made',
    columns: ({ text }) => ({ access_key: `${text} not null primary key`, owner_id: `${text} not null` }),
  }),
  forEach(
    (dialect) =>
      `insert into s3_owner_ids_made (access_key, owner_id) select u.access_key, ${newId[dialect]} from (${mentioned(dialect)}) u`,
  ),
  { sqlite: 'alter table s3_users add column owner_id text', postgres: 'alter table s3_users add column owner_id text collate "C"' },
  `update s3_users set owner_id = ${idOf('s3_users.access_key')}`,
  ...rebuiltOnSqlite,
  { postgres: 'alter table s3_users alter column owner_id set not null' },
  'create unique index s3_users_by_owner_id on s3_users (owner_id)',
  ...tablesOfObjects.flatMap((table) => [
    `update ${table} set owner = ${idOf(`${table}.owner`)} where owner is not null`,
    forEach((dialect) => `update ${table} set grants = ${grantsOf(dialect, `${table}.grants`)} where ${hasIds('grants')}`),
  ]),
  {
    sqlite: `update s3_bucket_settings set document = json_set(document, '$.grants', json(${grantsOf('sqlite', grantsOfBucket('sqlite'))})) where ${isBucketAccess}`,
    postgres: `update s3_bucket_settings set document = jsonb_set(document::jsonb, '{grants}', ${grantsOf('postgres', grantsOfBucket('postgres'))})::text where ${isBucketAccess}`,
  },
  `update uploads set initiator = ${idOf('uploads.initiator')} where initiator is not null`,
  'drop table s3_owner_ids_made',
])
