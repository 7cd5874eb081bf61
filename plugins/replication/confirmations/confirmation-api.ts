/** Endpoints of storage confirmations: copies whose paid submission has no known outcome. Times are RFC 3339 in UTC, in whole seconds. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { attentionCodes } from '../submissions/attention-policy.ts'

export const confirmationPageSizes = { usual: 100, max: 1000 } as const

const id = type('string.integer.parse').to('1 <= number.integer <= 9007199254740991')

const amount = type('string').narrow(documented({ pattern: '^\\d+$' }))

const confirmation = type({
  copy_id: 'number.integer',
  content_id: 'number.integer',
  bucket: 'string',
  /** Key of one version with the content; absent when it has none any more. */
  'object_key?': 'string',
  copy_index: 'number.integer',
  /** The service's own id of the data set. */
  data_set_row_id: 'number.integer',
  /** Id on chain; absent while its creation is looked up. */
  'data_set_id?': 'string',
  provider_id: 'string',
  'piece_cid?': 'string',
  /** The `expected_attempt_id` of a release. */
  attempt_id: 'string',
  /** The last known transaction of the attempt. */
  'transaction_id?': 'string',
  reason_code: type.enumerated(...attentionCodes),
  attempted_at: 'string',
  attention_at: 'string',
  /** Fees of another attempt: of its call, which several pieces share, and of each piece. Absent while the prices cannot be read. */
  'repeat_fees?': { call: amount, piece: amount },
})

export const listConfirmations = defineEndpoint({
  method: 'GET',
  path: '/api/v1/storage-confirmations',
  summary: 'List copies whose confirmation needs an operator, oldest first',
  query: type({
    /** Empty: no filter. */
    'status?': "'' | 'needs_attention'",
    'limit?': type('string.integer.parse').to(`1 <= number.integer <= ${confirmationPageSizes.max}`),
  }),
  answer: confirmation.array(),
})

const attemptId = type('string > 0').narrow(documented({ maxLength: 32 }))

const released = type({
  /** The `attempt_id` as listed. */
  expected_attempt_id: attemptId,
  /** Must be true: the released attempt may still reach the chain. */
  acknowledge_possible_duplicate: 'boolean',
})

export const releaseConfirmation = defineEndpoint({
  method: 'POST',
  path: '/api/v1/storage-confirmations/:copyId/release',
  role: 'operator',
  summary: 'Let another attempt store the copy, after one last look at the chain; the copy may be paid twice for a while',
  audit: ['expected_attempt_id', 'acknowledge_possible_duplicate'],
  params: type({ copyId: id }),
  body: released,
  answer: type({ copy_id: 'number.integer', status: "'released'" }),
  refusals: [
    'storage_confirmation_not_found',
    'storage_confirmation_unacknowledged',
    'storage_confirmation_changed',
    'storage_confirmation_landed',
    'storage_confirmation_unchecked',
  ],
})

export const releaseGroup = defineEndpoint({
  method: 'POST',
  path: '/api/v1/storage-confirmations/release',
  role: 'operator',
  summary: 'Let another attempt store all copies of an attempt that still need an operator, each as a single release does',
  audit: ['expected_attempt_id', 'acknowledge_possible_duplicate', 'released', 'refused'],
  body: released,
  answer: type({
    attempt_id: 'string',
    released: 'number.integer',
    refused: 'number.integer',
    /** Why, for each copy that was refused: code and text as of a single release. */
    refusals: type({ copy_id: 'number.integer', code: 'string', error: 'string' }).array(),
    /** Copies of the attempt are left that this request had no time for, or could not look up: repeat it. */
    has_more: 'boolean',
  }),
  refusals: [
    'storage_confirmation_not_found',
    'storage_confirmation_unacknowledged',
    'storage_confirmation_changed',
    'storage_confirmation_unchecked',
  ],
})

export type GroupRelease = typeof releaseGroup.answer.infer
export type Confirmation = typeof confirmation.infer
