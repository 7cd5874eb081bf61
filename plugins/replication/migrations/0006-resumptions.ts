import { createTable, defineMigration } from '#kernel'

/** When work without a task was last enqueued again, so that work that keeps failing is tried less and less often. */
export const resumptionsMigration = defineMigration('0006-resumptions', [
  createTable({
    name: 'resumptions',
    columns: ({ text }) => ({
      work: `${text} not null primary key`,
      tries: 'integer not null',
      next_at: 'bigint not null',
    }),
  }),
  'create index resumptions_due on resumptions (next_at)',
])
