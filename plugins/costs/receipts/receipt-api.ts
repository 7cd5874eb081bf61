/** Monthly receipts: what the chain took from the payment account, by bucket and rail. Amounts are decimal text in 10^-18 USDFC. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

/** Lines of one answer. */
export const receiptLinesMax = 10_000

const amount = type('string').narrow(documented({ pattern: '^\\d+$' }))

const line = type({
  /**
   * bucket, deleted_bucket: of its data sets · foreign: of a data set or service that this gateway does not know · unattributed: the
   * account lost it, and no log of the chain says to whom.
   */
  of: "'bucket' | 'deleted_bucket' | 'foreign' | 'unattributed'",
  'bucket_id?': 'number.integer',
  'bucket?': 'string',
  'provider_id?': 'string',
  'data_set_id?': 'string',
  'rail_id?': 'string',
  /** one_time: fees of calls · storage: settled storage. Of unattributed payments unknown. */
  kind: "'one_time' | 'storage' | 'unknown'",
  payments: 'number.integer',
  amount,
})

const receipt = type({
  month: 'string',
  /** The account at whose payments the lines add up. */
  payer: 'string',
  /** Absent: all buckets. */
  'bucket?': 'string',
  /** The chain was followed through the whole month: no payment of it is missing. */
  is_complete: 'boolean',
  /** The payments were followed from the first to the last of these epochs; absent before the first read. */
  'from_epoch?': 'string',
  'to_epoch?': 'string',
  /** Sorted by rail and kind; at most 10,000. */
  lines: line.array(),
  /** Where the next lines begin; absent with the last ones. The sums are of all lines. */
  'next_after?': 'string',
  one_time: amount,
  storage: amount,
  unattributed: amount,
  /** Sum of the lines; of all buckets: what the account paid. */
  total: amount,
})

export const showReceipt = defineEndpoint({
  method: 'GET',
  path: '/api/v1/receipts',
  summary: 'Show the payments of a month, as JSON or CSV',
  query: type({
    /** A month such as 2026-11, in UTC. */
    month: type('string').narrow(documented({ pattern: '^\\d{4}-\\d{2}$' })),
    'bucket?': 'string > 0',
    /** csv: all lines with a line of names. */
    'format?': "'csv' | 'json'",
    /** The `next_after` of the page before; JSON only. */
    'after?': 'string <= 128',
    'limit?': type('string.integer.parse')
      .to(`1 <= number.integer <= ${receiptLinesMax}`)
      .narrow(documented({ default: receiptLinesMax })),
  }),
  answer: receipt,
  refusals: ['bucket_not_found', 'invalid_month'],
})

export type Receipt = typeof receipt.infer
export type ReceiptLine = typeof line.infer
