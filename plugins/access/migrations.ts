import { createTable, defineMigration } from '#kernel'

export const accessMigrations = [
  defineMigration('0001-access', [
    createTable({
      name: 'audit_lines',
      columns: ({ id, text }) => ({
        id,
        at: 'bigint not null',
        what: `${text} not null check (what in ('sign_in', 'block', 'refusal', 'change'))`,
        outcome: `${text} not null check (outcome in ('done', 'refused', 'failed', 'blocked', 'cut'))`,
        who: text,
        how: `${text} not null`,
        client: `${text} not null`,
        method: text,
        route: text,
        status: 'integer',
        subject: `${text} not null`,
      }),
    }),
    'create index audit_lines_by_time on audit_lines (at)',
    createTable({ name: 'ended_sessions', columns: ({ text }) => ({ id: `${text} not null primary key`, until: 'bigint not null' }) }),
  ]),
]
