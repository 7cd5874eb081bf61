/**
 * Endpoints that show what storage costs and how long the deposit lasts. Amounts are decimal text in 10^-18 USDFC. A month is 86,400
 * epochs and a day 2,880, as in the price list.
 */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

/** Header with the `fingerprint` of the price list that was shown before an action that costs. Any request that changes something takes it. */
export const priceListHeader = 'svc-price-list'

const amount = type('string').narrow(documented({ pattern: '^\\d+$' }))
const amountOrNull = amount.or('null')
const count = 'number.integer'
const copies = type('1 <= number.integer <= 8')
const bucketName = type('string > 0')
const newAmount = type('string').narrow(documented({ pattern: '^[1-9]\\d{0,38}$' }))

/** What storage costs while it stays as it is. */
const rate = { per_epoch: amount, per_day: amount, per_month: amount } as const

/** Part of the deposit that cannot be withdrawn. */
const locked = {
  /** Reserves of the data sets, from which the fees of their calls are paid; returned with their end. */
  reserve: amount,
  /** The present rate for the lockup period; of a data set that ends: for the epochs until its end. */
  advance: amount,
} as const

/** Fees of the calls that reached the chain, with the prices of their time. Gas is paid in FIL, and by the provider for most calls. */
const fees = {
  create_data_sets: amount,
  addition_calls: amount,
  pieces: amount,
  removals: amount,
  terminations: amount,
  total: amount,
  /** Calls that were recorded while the prices could not be read: they are in no amount. */
  calls_without_price: count,
} as const

const runway = {
  /** Null without running costs. */
  seconds: 'number.integer | null',
  days: 'number.integer | null',
  /** `warning` below 30 days, `serious` below 7 days, `empty` when new work cannot be paid; `unknown` before the account was read. */
  level: "'ok' | 'warning' | 'serious' | 'empty' | 'unknown'",
  'funded_until?': 'string',
} as const

/** When the chain was read. `stale`: the node has not answered since then; `unknown`: it never has, and amounts of the chain are null. */
const reading = {
  freshness: "'fresh' | 'stale' | 'unknown'",
  read_at: 'string | null',
  epoch: 'string | null',
  /** Why the last read failed: timeout, RPC failure, contract refused, or implausible answer. */
  'failure?': 'string',
} as const

const prices = type({
  fingerprint: 'string',
  storage_per_tib_month: amount,
  data_set_month: amount,
  create_data_set: amount,
  addition_call: amount,
  piece: amount,
  removal_call: amount,
  termination: amount,
  /** Locked per data set, and refilled when less than `reserve_refill` would remain. */
  reserve: amount,
  reserve_refill: amount,
  /** Epochs of the rate that stay locked. */
  lockup_epochs: 'string',
  cdn_lockup: amount,
})

/** One ceiling; `used` is what it counts: the fees of the period, and storage for a whole day or month at the present rate. */
const limit = type({
  /** Null: off. */
  limit: amountOrNull,
  used: amountOrNull,
  fees: amount,
  storage: amountOrNull,
  /** When the period of the fees ends. */
  resets_at: 'string',
  is_reached: 'boolean',
})

const bucketShare = type({ bucket_id: count, name: 'string', rate, locked, data_sets: count })

const cost = type({
  ...reading,
  epoch_seconds: 'number',
  runway,
  account: type({
    funds: amount,
    available: amount,
    /** While positive, no pieces can be added. */
    debt: amount,
    locked: type({
      ...locked,
      /** Due to providers, and not settled yet. */
      accrued: amount,
      total: amount,
    }),
  }).or('null'),
  rate: type(rate).or('null'),
  /** A deposit that makes the runway 90 days longer at the present rate; it includes the debt. */
  deposit_for_90_days: amountOrNull,
  prices: prices.or('null'),
  fees,
  /** Fees of `fees` that the chain has not taken from the reserves yet. */
  fees_pending: amountOrNull,
  limits: { daily: limit, monthly: limit },
  /** The most expensive buckets, at most `buckets` (default 100). With the others their sums are those of the account. */
  buckets: bucketShare.array(),
  other_buckets: { count, rate, locked },
  /** Data sets of deleted buckets whose service still runs. */
  deleted_buckets: { rate, locked, data_sets: count },
  /** Data sets of the same wallet that this service does not know, and rails of other services. */
  foreign: { rate, locked, rails: count },
})
const costQuery = type({ 'buckets?': type('string.integer.parse').to('0 <= number.integer <= 1000') })

export const showCost = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cost',
  summary: 'Show what all storage costs, how long the deposit lasts, the price list, and the spend limits',
  query: costQuery,
  answer: cost,
})

export const refreshCost = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cost/refresh',
  role: 'operator',
  summary: 'Read the payment account and its payments from the chain now, and show the costs; a silent node is named in `failure`',
  query: costQuery,
  answer: cost,
  deadlineMs: 60_000,
})

export const showBucketCost = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/cost',
  summary: 'Show what the storage of a bucket costs',
  params: type({ name: 'string' }),
  answer: type({
    bucket_id: count,
    bucket: 'string',
    ...reading,
    rate: type(rate).or('null'),
    locked: type(locked).or('null'),
    fees,
    data_sets: type({
      /** The service's own id. */
      id: count,
      copy_index: count,
      provider_id: 'string',
      'data_set_id?': 'string',
      /** `unread`: created after the chain was read, or not on chain. */
      status: "'active' | 'ending' | 'unread'",
      rate,
      locked,
      /** Bytes for which the rate is computed. */
      billed_bytes: 'string | null',
      /** Up to this epoch the service is paid. */
      'end_epoch?': 'string',
    }).array(),
    /** What the chain has taken for the bucket since the receipts began. */
    paid: { one_time: amount, storage: amount, 'since?': 'string' },
    /** What its objects cost less because they share pieces, at the present prices. Absent while these cannot be read. */
    'fees_saved?': amount,
  }),
  refusals: ['bucket_not_found'],
})

/** An action that is to be estimated; each kind has its members and no others. */
const estimateBody = type({ kind: "'new_bucket'", 'copies?': copies })
  .or({ kind: "'raise_target'", bucket: bucketName, copies })
  /** `objects` of `bytes` each. */
  .or({
    kind: "'upload'",
    bucket: bucketName,
    objects: '1 <= number.integer <= 1000000000',
    bytes: '1 <= number.integer <= 9007199254740991',
  })
  /** The service's own id of the data set whose provider is to be replaced. */
  .or({ kind: "'replacement'", data_set_id: '1 <= number.integer <= 9007199254740991' })
  .or({ kind: "'fund' | 'withdraw'", amount: newAmount })
  .or({ kind: "'approve' | 'speed_test'" })

export const estimateCost = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cost/estimate',
  role: 'read-only',
  summary: 'Estimate what an action costs and how long the deposit lasts after it; nothing is changed',
  isLook: true,
  body: estimateBody,
  bytesMax: 4096,
  answer: type({
    kind: "'new_bucket' | 'raise_target' | 'upload' | 'replacement' | 'fund' | 'withdraw' | 'approve' | 'speed_test'",
    /** To send with the action in the header `svc-price-list`. */
    price_fingerprint: 'string',
    /** One-time fees when pieces share calls, and when each has a call of its own. */
    fee: amount,
    fee_max: amount,
    lock: amount,
    rate,
    runway_before: runway,
    runway_after: runway,
    /** Missing in the account before the action can succeed. */
    deposit_needed: amount,
    /** After the action. */
    deposit_for_90_days: amount,
    /** The old service of a replacement. Its end leaves the reserve, and the advance pays it for `paid_epochs_after_end`. */
    'replaced?': {
      rate,
      locked,
      paid_epochs_after_end: 'string',
      paid_days_after_end: count,
      /** After the action, as soon as the end of the old service is on chain. */
      runway_after_end: runway,
    },
    /** What the amounts are computed from. */
    basis: { data_sets: count, pieces: 'string', pieces_per_call: count, billed_bytes: 'string' },
    /** Why the action would wait, as a sentence, such as a spend limit. */
    'waits_for?': 'string',
  }),
  refusals: ['bucket_not_found', 'data_set_not_found', 'estimate_out_of_range', 'prices_unreadable'],
})

export type Cost = typeof cost.infer
export type BucketCost = typeof showBucketCost.answer.infer
export type EstimateRequest = typeof estimateBody.infer
export type CostEstimateAnswer = typeof estimateCost.answer.infer
