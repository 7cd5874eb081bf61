import { createTable, defineMigration } from '#kernel'

const counter = 'bigint not null default 0'

/** Whole copies that were read from their providers and compared. */
export const samplesMigration = defineMigration('0004-samples', [
  createTable({
    name: 'copy_samples',
    columns: ({ id, text }) => ({
      id,
      at: 'bigint not null',
      copy_id: 'bigint not null',
      data_set_id: 'bigint not null',
      provider_id: `${text} not null`,
      piece_cid: `${text} not null`,
      result: `${text} not null check (result in ('intact', 'missing', 'wrong_bytes', 'unreachable'))`,
      bytes: 'bigint not null',
      message: text,
    }),
  }),
  'create index copy_samples_at on copy_samples (at)',
  "create index copy_samples_failed on copy_samples (at) where result <> 'intact'",
  'create index copy_samples_copy on copy_samples (copy_id, at)',
  createTable({
    name: 'sample_runs',
    columns: ({ key }) => ({
      task_id: key,
      per_million: 'bigint not null',
      planned: 'bigint not null',
      after_copy: counter,
      copies: counter,
      bytes: counter,
      intact: counter,
      missing: counter,
      wrong_bytes: counter,
      unreachable: counter,
      started_at: 'bigint not null',
      finished_at: 'bigint',
    }),
  }),
])
