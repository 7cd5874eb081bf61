import { createTable, defineMigration } from '#kernel'

/** Limits of single users, and how many data sets their new buckets need on each day. */
export const limitsMigration = defineMigration('0007-limits', [
  { sqlite: 'alter table s3_users add column limits text', postgres: 'alter table s3_users add column limits text collate "C"' },
  createTable({
    name: 's3_new_data_sets',
    columns: ({ text }) => ({ day: 'bigint not null', owner: `${text} not null`, data_sets: 'bigint not null' }),
    constraints: ['primary key (day, owner)'],
    isWithoutRowid: true,
  }),
])
