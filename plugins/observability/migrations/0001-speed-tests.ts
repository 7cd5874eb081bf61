import { createTable, defineMigration } from '#kernel'

/** The latest upload speed test of each tested provider, and the figures of its latest success. */
export const speedTestsMigration = defineMigration('0001-speed-tests', [
  createTable({
    name: 'provider_speed_tests',
    columns: ({ text }) => ({
      provider_id: `${text} not null primary key`,
      task_id: 'bigint not null',
      state: `${text} not null`,
      started_at: 'bigint',
      failure_code: text,
      service_url: text,
      bytes_per_second: 'bigint',
      duration_ms: 'bigint',
      sample_bytes: 'bigint',
      tested_at: 'bigint',
    }),
  }),
])
