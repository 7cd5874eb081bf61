/** What would depend on a replacement if a provider were gone. Amounts are decimal text in 10^-18 USDFC, bytes decimal text. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

/** Buckets that an answer names, those with the most bytes first. */
export const shownBucketsMax = 100

const count = 'number.integer'
const digits = type('string').narrow(documented({ pattern: '^\\d+$' }))

/** Contents are counted once in each bucket; versions with the same bytes share one. A part of an object above the size of a piece is one content. */
const dependent = { contents: count, versions: count, bytes: digits } as const

const counts = {
  /** Contents with a committed copy at the provider. */
  stored: dependent,
  /** Would have fewer durable copies than their target, or than the minimum of their bucket. */
  below_target: dependent,
  below_minimum: dependent,
  /** No other provider has the bytes. */
  no_other_copy: dependent,
  /** Neither another provider nor the cache has them: they would be lost. */
  lost: dependent,
} as const

export const showWhatIf = defineEndpoint({
  method: 'GET',
  path: '/api/v1/storage-replacements/what-if',
  summary: 'Show what would be at risk if a provider were gone, and what healing it would take; nothing is changed',
  query: type({ provider_id: type('string > 0').narrow(documented({ maxLength: 78 })) }),
  answer: type({
    provider_id: 'string',
    'provider_name?': 'string',
    /** The figures are as of then. */
    counted_at: 'string',
    ...counts,
    heal: {
      /** New data sets, one for each bucket. */
      data_sets: count,
      pieces: count,
      bytes: digits,
      /** Time at the measured rate; null while none of the other providers was measured. */
      seconds: 'number.integer | null',
      bytes_per_second: 'number.integer | null',
      /** Providers whose uploads or pulls were measured; the rate is their median. */
      measured_providers: count,
      /** Null while the prices cannot be read. */
      cost: type({
        price_fingerprint: 'string',
        /** One-time fees when pieces share calls, and when each has a call of its own. */
        fee: digits,
        fee_max: digits,
        lock: digits,
        /** Rate of the new data sets; that of the old ones ends with their service. */
        rate: { per_epoch: digits, per_day: digits, per_month: digits },
        deposit_needed: digits,
      }).or('null'),
    },
    /** Lists at most 100, those with the most bytes first. */
    buckets: type({ bucket_id: count, bucket: 'string', data_set_id: count, copy_index: count, ...counts }).array(),
    other_buckets: count,
  }),
  // A count over a million copies takes several seconds.
  deadlineMs: 60_000,
  refusals: ['what_if_provider_unknown'],
})

export type WhatIf = typeof showWhatIf.answer.infer
