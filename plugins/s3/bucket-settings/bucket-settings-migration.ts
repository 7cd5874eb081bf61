import { createTable, defineMigration } from '#kernel'

export const bucketSettingsMigration = defineMigration('0003-bucket-settings', [
  createTable({
    name: 's3_bucket_settings',
    columns: ({ text }) => ({
      bucket_id: 'bigint not null',
      name: `${text} not null`,
      document: `${text} not null`,
      updated_at: 'bigint not null',
    }),
    constraints: ['primary key (bucket_id, name)'],
    isWithoutRowid: true,
  }),
])
