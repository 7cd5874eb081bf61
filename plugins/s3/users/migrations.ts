import { createTable, defineMigration, onlyOnSqlite } from '#kernel'

export const userMigrations = [
  onlyOnSqlite(
    defineMigration('0001-users', [
      `CREATE TABLE s3_users (
      access_key TEXT NOT NULL PRIMARY KEY,
      secret_key TEXT NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('user', 'userplus', 'admin')),
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
    ]),
  ),
  defineMigration('0002-postgres', [
    {
      postgres: createTable({
        name: 's3_users',
        columns: ({ text }) => ({
          access_key: `${text} not null primary key`,
          secret_key: `${text} not null`,
          role: `${text} not null check (role in ('user', 'userplus', 'admin'))`,
          created_at: 'bigint not null',
          updated_at: 'bigint not null',
        }),
      }).postgres,
    },
  ]),
]
