import { createTable, defineMigration } from '#kernel'

/** Owners and lists of versions and of unfinished uploads, only where they are not the default. */
export const accessMigration = defineMigration('0004-object-access', [
  createTable({
    name: 's3_object_access',
    columns: ({ text }) => ({
      version_id: `${text} not null primary key references object_versions (version_id) on delete cascade`,
      owner: text,
      grants: `${text} not null`,
    }),
    isWithoutRowid: true,
  }),
  createTable({
    name: 's3_upload_access',
    columns: ({ text }) => ({
      upload_id: `${text} not null primary key references uploads (upload_id) on delete cascade`,
      owner: text,
      grants: `${text} not null`,
    }),
    isWithoutRowid: true,
  }),
])
