import { defineMigration } from '#kernel'

export const migrations = [
  defineMigration('0001-users', [
    `CREATE TABLE s3_users (
      access_key TEXT NOT NULL PRIMARY KEY,
      secret_key TEXT NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('user', 'userplus', 'admin')),
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
  ]),
]
