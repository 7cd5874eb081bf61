import { createTable, createTrigger, defineMigration } from '#kernel'

const counter = 'bigint not null default 0'
const ownerOf = (bucketId: string) => `(select coalesce(b.owner_access_key, '') from buckets b where b.id = ${bucketId})`

/** A row of an owner is made with the first bucket, and stays. */
const makeRow = (owner: string) => `insert into stored_usage (owner) values (${owner}) on conflict (owner) do nothing`
const add = (row: 'old' | 'new', sign: '+' | '-', owners: string) =>
  `update stored_usage set buckets = buckets ${sign} 1, versions = versions ${sign} ${row}.versions,
     version_bytes = version_bytes ${sign} ${row}.version_bytes where owner in (${owners})`
const moveTo = (owner: string, sign: '+' | '-') =>
  `update stored_usage set buckets = buckets ${sign} 1,
     versions = versions ${sign} (select s.versions from bucket_stats s where s.bucket_id = new.id),
     version_bytes = version_bytes ${sign} (select s.version_bytes from bucket_stats s where s.bucket_id = new.id)
   where owner = coalesce(${owner}, '') and exists (select 1 from bucket_stats s where s.bucket_id = new.id)`

/** Counts by trigger, because versions are added and deleted in many places, and each must count in its own transaction. */
export const storedUsageMigration = defineMigration('0029-stored-usage', [
  createTable({
    name: 'stored_usage',
    columns: ({ text }) => ({ owner: `${text} not null primary key`, buckets: counter, versions: counter, version_bytes: counter }),
    isWithoutRowid: true,
  }),
  `insert into stored_usage (owner, buckets, versions, version_bytes)
     select coalesce(b.owner_access_key, ''), count(*), sum(s.versions), sum(s.version_bytes)
     from bucket_stats s join buckets b on b.id = s.bucket_id group by coalesce(b.owner_access_key, '')`,
  `insert into stored_usage (owner, buckets, versions, version_bytes)
     select '*', coalesce(sum(buckets), 0), coalesce(sum(versions), 0), coalesce(sum(version_bytes), 0) from stored_usage`,
  ...createTrigger({
    name: 'stored_usage_came',
    event: 'after insert on bucket_stats',
    does: [makeRow(ownerOf('new.bucket_id')), add('new', '+', `'*', ${ownerOf('new.bucket_id')}`)],
  }),
  ...createTrigger({
    name: 'stored_usage_changed',
    event: 'after update of versions, version_bytes on bucket_stats',
    when: 'old.versions <> new.versions or old.version_bytes <> new.version_bytes',
    does: [
      `update stored_usage set versions = versions + new.versions - old.versions,
         version_bytes = version_bytes + new.version_bytes - old.version_bytes where owner in ('*', ${ownerOf('new.bucket_id')})`,
    ],
  }),
  ...createTrigger({
    name: 'stored_usage_went',
    event: 'after delete on bucket_stats',
    does: [add('old', '-', `'*', ${ownerOf('old.bucket_id')}`)],
  }),
  ...createTrigger({
    name: 'stored_usage_moved',
    event: 'after update of owner_access_key on buckets',
    when: `coalesce(old.owner_access_key, '') <> coalesce(new.owner_access_key, '')`,
    does: [makeRow(`coalesce(new.owner_access_key, '')`), moveTo('old.owner_access_key', '-'), moveTo('new.owner_access_key', '+')],
  }),
])
