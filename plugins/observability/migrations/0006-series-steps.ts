import { createTable, defineMigration } from '#kernel'

/** Kept figures of the metrics. */
export const seriesStepsMigration = defineMigration('0006-series-steps', [
  createTable({
    name: 'series_steps',
    columns: ({ text }) => ({
      step_ms: 'bigint not null',
      slot: 'bigint not null',
      first_step: 'bigint not null',
      figures: `${text} not null`,
    }),
    constraints: ['primary key (step_ms, slot)'],
  }),
])
