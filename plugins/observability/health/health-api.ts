/** What the lists of providers and of data sets share. On-chain ids are decimal text; times are RFC 3339 in UTC. */
import { type } from '#kernel/schema'

/** Sorted as in the documentation of the lists. Codes are only added. */
const reasonCodes = [
  'registry_lookup_failed',
  'provider_inactive',
  'provider_missing_pdp',
  'provider_not_approved',
  'provider_record_unusable',
  'provider_not_checked',
  'provider_http_unreachable',
  'provider_calls_unanswered',
  'provider_calls_failing',
  'provider_missed_proofs',
  'chain_lookup_failed',
  'chain_data_set_missing',
  'chain_data_set_inactive',
  'chain_data_set_unmanaged',
  'local_status_not_ready',
  'provider_mismatch',
  'metadata_mismatch',
  'data_set_in_debt',
  'proving_overdue',
  'proving_missed',
  'piece_count_mismatch',
  'copies_missing_at_provider',
  'copies_with_wrong_bytes',
  'copy_under_replicated',
  'copy_pending',
  'copy_committing',
  'copy_failed',
  'copy_missing_provider',
  'copy_missing_data_set',
  'copy_missing_piece',
  'copy_missing_retrieval_url',
  'copy_observation_missing',
] as const

export type ReasonCode = (typeof reasonCodes)[number]

const status = type("'available' | 'degraded' | 'unavailable' | 'unknown'")
const level = type("'ok' | 'warning' | 'blocking'")

const freshness = type({
  /** Includes milliseconds. A summary has that of the row that was checked first. */
  'last_checked_at?': 'string',
  /** Older than twice `chain.observability.interval`. */
  stale: 'boolean',
  warnings: type("'no_state_recorded' | 'stale_state'").array(),
})

export const signal = type({
  status,
  level,
  reason_codes: type.enumerated(...reasonCodes).array(),
  'last_error?': 'string',
  freshness,
})

/** Parameters of both lists. */
export const healthQuery = {
  /** Rows of a page; 0: the default of 100; above 500: 500. */
  'limit?': type('string.integer.parse').to('0 <= number.integer <= 9007199254740991'),
  'offset?': type('string.integer.parse').to('0 <= number.integer <= 9007199254740991'),
  'status?': status,
  'provider_id?': /^\d{1,78}$/,
} as const

export const healthSummary = {
  /** Over all rows that match the filters, not only those of the page. */
  summary: {
    total: 'number.integer',
    available: 'number.integer',
    degraded: 'number.integer',
    unavailable: 'number.integer',
    unknown: 'number.integer',
    /** Rows with each reason, worst status first, then most rows first. A row with several reasons counts for each. */
    reasons: type({ status, reason_code: type.enumerated(...reasonCodes), count: 'number.integer' }).array(),
  },
  /** `blocking`: a row is unavailable; `warning`: one is degraded or unknown, or its check is stale or missing. */
  summary_signal: { level, freshness },
  total: 'number.integer',
  limit: 'number.integer',
  offset: 'number.integer',
} as const

export type HealthStatus = typeof status.infer
export type HealthLevel = typeof level.infer
export type HealthFreshness = typeof freshness.infer
export type HealthSignal = typeof signal.infer
