/** Endpoints of the health of data sets. On-chain ids and epochs are decimal text; times are RFC 3339 in UTC. */

import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { healthQuery, healthSummary, signal } from '../health/health-api.ts'

/** Proofs of possession by the chain. Times are computed from epochs. */
const proving = type({
  /** `not_started`: no period has begun, or the data set is empty; not a fault. `due`: the proof of the present period is not there yet. */
  state: "'not_started' | 'proven' | 'due' | 'overdue'",
  'last_proven_epoch?': 'string',
  'last_proven_at?': 'string',
  /** End of the present period. */
  'next_due_epoch?': 'string',
  'next_due_at?': 'string',
  period_epochs: 'number.integer',
  /** Counts of the periods that ended in the last six weeks and were observed: those without a proof, and all. */
  missed_periods: 'number.integer',
  observed_periods: 'number.integer',
  /** Observed periods by the day of their end, newest first, with `history=true`. Days without one are absent. */
  'days?': type({
    /** 0: the 24 hours before the last round of checks. */
    days_ago: 'number.integer',
    periods: 'number.integer',
    proven: 'number.integer',
  }).array(),
})

/** Whether the copies on the data set count as durable. */
const standing = type({
  /** `denied`: none of them does, until the reason has gone. */
  state: "'kept' | 'denied'",
  'reason?': "'proving_missed' | 'service_ended' | 'not_on_chain'",
  'since?': 'string',
  /** Copies on it that do not count, because the provider does not serve their bytes. */
  denied_copies: 'number.integer',
  /** Copies of them that failed a second check, at least ten minutes after the first. */
  confirmed_copies: 'number.integer',
})

const dataSet = type({
  facts: {
    local_data_set_id: 'number.integer',
    bucket_id: 'number.integer',
    bucket_name: 'string',
    copy_index: 'number.integer',
    generation: 'number.integer',
    /** Receives writes. */
    is_current: 'boolean',
    provider_id: 'string',
    'chain_data_set_id?': 'string',
    'client_data_set_id?': 'string',
    local_status: "'pending' | 'creating' | 'ready' | 'failed' | 'unavailable' | 'draining' | 'retired'",
    /** Counted by the chain. Absent for a data set of more than 2,000 pieces, which nodes cannot count. */
    'active_piece_count?': 'number.integer',
    'has_active_pieces?': 'boolean',
    /** Counted by our own records. */
    recorded_piece_count: 'number.integer',
    /** `terminated`: its service runs until `end_epoch`. `ended`: that epoch has passed. */
    'chain_state?': "'live' | 'terminated' | 'ended' | 'deleted' | 'absent' | 'unmanaged'",
    'end_epoch?': 'string',
    /** Due fees exceed its reserve, or the payment account is in debt. */
    'in_debt?': 'boolean',
    'proving?': proving,
    standing,
    /** Why svc chose the provider: the criterion that decided, such as `fast`. Absent when an operator chose it. */
    'chosen_because?': { reason: 'string', detail: 'string' },
  },
  signal,
  'provider_identity?': type({ registry_provider_id: 'string', 'name?': 'string', 'service_url?': 'string', 'location?': 'string' }),
})

/** The last round of checks. */
const round = type({
  finished_at: 'string',
  duration_ms: 'number.integer',
  data_sets: 'number.integer',
  /** Calls of contracts, and the requests in which they were sent. */
  chain_calls: 'number.integer',
  chain_requests: 'number.integer',
})

const page = type({ items: dataSet.array(), ...healthSummary, 'last_refresh?': round })

const query = type({
  ...healthQuery,
  /** Not together with `bucket_id`. */
  'bucket?': 'string > 0',
  'bucket_id?': type('string.integer.parse').to('1 <= number.integer <= 9007199254740991'),
  /** `true`: only generations that receive writes; `false`: only the others. */
  'current?': "'true' | 'false'",
  /** `true`: with the proving periods by day, and at most 50 rows of a page. */
  'history?': "'true' | 'false'",
})

const refusals = ['data_set_filter_conflict', 'bucket_filter_unknown', 'plugin_disabled'] as const

export const listDataSets = defineEndpoint({
  method: 'GET',
  path: '/api/v1/observability/data-sets',
  summary: 'List the data sets of all buckets with their health, by bucket, slot and generation',
  query,
  answer: page,
  refusals,
})

export const refreshDataSets = defineEndpoint({
  method: 'POST',
  path: '/api/v1/observability/data-sets/refresh',
  role: 'operator',
  summary: 'Read the state of all data sets on chain, then list them',
  audit: [],
  query,
  answer: page,
  deadlineMs: 125_000,
  refusals,
})

export type DataSetHealth = typeof dataSet.infer
export type DataSetPage = typeof page.infer
