import { defineEntity, p } from '@mikro-orm/core'

/** What the chain said about a data set at the last look. Its local id may be used again: `client_id` tells which one it is. */
export const dataSetObservationEntity = defineEntity({
  name: 'DataSetObservation',
  tableName: 'data_set_observations',
  properties: {
    data_set_id: p.bigint('number').primary().autoincrement(false),
    client_id: p.text(),
    chain_id: p.text(),
    checked_at: p.bigint('number'),
    /** Why the last look failed; the other columns are of the one before. */
    error: p.text().nullable(),
    chain_state: p.text().$type<'live' | 'terminated' | 'ended' | 'deleted' | 'absent' | 'unmanaged'>().nullable(),
    end_epoch: p.bigint('number').nullable(),
    /** Looks in a row at which it took no pieces. */
    closed_rounds: p.integer().default(0),
    is_in_debt: p.integer().default(0),
    provider_matches: p.integer().default(1),
    /** Null: not read yet. It never changes. */
    metadata_matches: p.integer().nullable(),
    pieces_match: p.integer().default(1),
    is_unreachable: p.integer().default(0),
    /** Null: too many to be counted. */
    piece_count: p.bigint('number').nullable(),
    has_pieces: p.integer().default(0),
    activation_epoch: p.bigint('number').default(0),
    deadline: p.bigint('number').nullable(),
    period_epochs: p.bigint('number').default(0),
    proving: p.text().$type<'not_started' | 'proven' | 'due' | 'overdue'>().nullable(),
    last_proven_epoch: p.bigint('number').nullable(),
    next_due_epoch: p.bigint('number').nullable(),
    /** The last proven epoch when a proof became overdue; null once there is a later proof. */
    owed_since: p.bigint('number').nullable(),
    /** The first proving period that is not in `proving_periods` yet. */
    next_period: p.bigint('number').nullable(),
    observed_periods: p.integer().default(0),
    missed_periods: p.integer().default(0),
    /** Proven ones after the last missed one. */
    proven_since_missed: p.integer().default(0),
  },
})
