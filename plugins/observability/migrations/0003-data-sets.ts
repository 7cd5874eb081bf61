import { createTable, defineMigration } from '#kernel'

/** What the chain said about each data set at the last look, and which proving periods had a proof. */
export const dataSetsMigration = defineMigration('0003-data-sets', [
  createTable({
    name: 'data_set_observations',
    columns: ({ key, text }) => ({
      data_set_id: key,
      client_id: `${text} not null`,
      chain_id: `${text} not null`,
      checked_at: 'bigint not null',
      error: text,
      chain_state: text,
      end_epoch: 'bigint',
      closed_rounds: 'integer not null default 0',
      is_in_debt: 'integer not null default 0',
      provider_matches: 'integer not null default 1',
      metadata_matches: 'integer',
      pieces_match: 'integer not null default 1',
      is_unreachable: 'integer not null default 0',
      piece_count: 'bigint',
      has_pieces: 'integer not null default 0',
      activation_epoch: 'bigint not null default 0',
      deadline: 'bigint',
      period_epochs: 'bigint not null default 0',
      proving: text,
      last_proven_epoch: 'bigint',
      next_due_epoch: 'bigint',
      owed_since: 'bigint',
      next_period: 'bigint',
      observed_periods: 'integer not null default 0',
      missed_periods: 'integer not null default 0',
    }),
  }),
  createTable({
    name: 'proving_periods',
    columns: () => ({
      data_set_id: 'bigint not null references data_set_observations (data_set_id) on delete cascade',
      period: 'bigint not null',
      end_epoch: 'bigint not null',
      is_proven: 'integer not null',
    }),
    constraints: ['primary key (data_set_id, period)'],
  }),
  createTable({
    name: 'check_rounds',
    columns: ({ text }) => ({
      name: `${text} not null primary key`,
      started_at: 'bigint not null',
      finished_at: 'bigint not null',
      epoch: 'bigint not null',
      data_sets: 'integer not null',
      chain_calls: 'bigint not null',
      chain_requests: 'bigint not null',
    }),
  }),
])
