/** Samples of remote copies: whole pieces that are read from their providers and compared. Times are RFC 3339 in UTC. */

import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

const sampleResult = type("'intact' | 'missing' | 'wrong_bytes' | 'unreachable'")

const counts = {
  copies: 'number.integer',
  bytes: 'number.integer',
  intact: 'number.integer',
  /** The provider answers that it does not have the piece. */
  missing: 'number.integer',
  /** The provider sends other bytes. */
  wrong_bytes: 'number.integer',
  /** No usable answer: says nothing about the copy. */
  unreachable: 'number.integer',
} as const

/** A check that an operator requested. */
const run = type({
  task_id: 'number.integer',
  state: "'running' | 'completed' | 'failed'",
  /** Copies to check. */
  planned: 'number.integer',
  ...counts,
  started_at: 'string',
  'finished_at?': 'string',
})

export const showSamples = defineEndpoint({
  method: 'GET',
  path: '/api/v1/observability/samples',
  summary: 'Show the samples of remote copies: the last day, the last failures and the last requested check',
  answer: type({
    /** The configured share, and the limit of bytes a day. */
    share_per_day: 'number',
    bytes_per_day: 'number.integer',
    /** Copies to choose from. */
    committed_copies: 'number.integer',
    last_day: counts,
    /** Newest first, at most 100. */
    failures: type({
      at: 'string',
      result: sampleResult,
      copy_id: 'number.integer',
      local_data_set_id: 'number.integer',
      provider_id: 'string',
      'piece_cid?': 'string',
      'message?': 'string',
    }).array(),
    'run?': run,
  }),
  refusals: ['plugin_disabled'],
})

export const startSamples = defineEndpoint({
  method: 'POST',
  path: '/api/v1/observability/samples',
  role: 'operator',
  summary: 'Read a random share of the remote copies and compare them; the limit of bytes a day does not apply',
  audit: ['share', 'task_id'],
  body: type({ share: '0 < number <= 1' }),
  answer: type({ task_id: 'number.integer', planned: 'number.integer' }),
  status: 202,
  refusals: ['samples_running', 'plugin_disabled'],
})

export type Samples = (typeof showSamples)['answer']['infer']
