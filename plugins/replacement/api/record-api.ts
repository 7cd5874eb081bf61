/** The record of a replacement and its progress. On-chain ids and epochs are decimal text, times RFC 3339 in UTC and whole seconds. */
import { type } from '#kernel/schema'
import { waitReasons } from '../contract.ts'
import { replacementStatuses } from '../states/replacement-transitions-policy.ts'

const count = 'number.integer'
const status = type.enumerated(...replacementStatuses)

/** A data set on one side of a replacement. */
const side = type({
  /** The service's own id. */
  id: count,
  generation: count,
  is_current: 'boolean',
  status: "'pending' | 'creating' | 'ready' | 'failed' | 'unavailable' | 'draining' | 'retired'",
  provider_id: 'string',
  /** Its id on chain; null until it is created. */
  data_set_id: 'string | null',
  provider_identity: { registry_provider_id: 'string', 'name?': 'string', 'service_url?': 'string' },
})

/** Counts of unique contents. The last six exclude each other and are the outstanding work. */
const progress = type({
  scope: "'provider_replacement'",
  /** The stage; a waiting or failed replacement keeps the one in which it stopped. */
  phase: "'prepare' | 'migrate' | 'retire' | 'none'",
  /** False while contents are being found: then `items_total` is the count so far. */
  seeding_complete: 'boolean',
  items_total: count,
  items_copied: count,
  items_no_longer_needed: count,
  items_processed: count,
  /** Share of `items_total` that is processed, with two decimals; 100 only when all is. Absent until seeding is complete. */
  'percent?': '0 <= number <= 100',
  items_pending: count,
  /** Includes those that await a confirmation. */
  items_active: count,
  items_retrying: count,
  items_waiting_source: count,
  items_failed: count,
  /** Need an operator. */
  items_attention: count,
  /** Only while a retry is scheduled in the future. */
  'next_retry_at?': 'string',
})

export const replacementRecord = type({
  id: count,
  bucket_name: 'string',
  copy_index: count,
  status,
  /**
   * Present with `wait_message` while the status is `waiting`, never otherwise. `target`: the new provider does not answer; `source`: contents
   * without a readable copy; `retirement`: the old service cannot end yet; `turn`: others are moved first.
   */
  'wait_reason?': type.enumerated(...waitReasons),
  'wait_message?': 'string',
  /** A word such as `target_in_use` while the status is `failed`. */
  'failure_reason?': 'string',
  /** Not null only while the status is `failed` or `cleanup_attention`. */
  last_error: 'string | null',
  selection_mode: "'automatic' | 'manual'",
  /** `repair`: svc began it by itself. */
  origin: "'operator' | 'repair'",
  source: side,
  target: side,
  items_total: count,
  items_copied: count,
  progress,
  /** The epoch at which the old service ends; null until its end is on chain. */
  termination_epoch: 'string | null',
  /** When new uploads moved to the target. */
  'taken_over_at?': 'string',
  /** The replacement that a later confirmation made. */
  'superseded_by?': count,
  /** An operator's retry would be accepted. */
  retryable: 'boolean',
  client_request_id: 'string',
  created_at: 'string',
  updated_at: 'string',
  'finished_at?': 'string',
})

export type ReplacementAnswer = typeof replacementRecord.infer
export type ReplacementSide = typeof side.infer
export type ProgressAnswer = typeof progress.infer
