/** The endpoint that finds fees which need not be paid. Amounts are decimal text in 10^-18 USDFC. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

const amount = type('string').narrow(documented({ pattern: '^\\d+$' }))

export const listLeaks = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cost/leaks',
  summary: 'List the buckets that paid the most fees for pieces in the last 30 days, with what packing would save of them',
  answer: type({
    /** The fees are those of calls since then, at the present prices. */
    since: 'string',
    /** The highest fees first, at most 20 buckets. */
    buckets: type({
      bucket: 'string',
      pieces: 'number.integer',
      /** For the pieces and the calls that added them. */
      fees: amount,
      /** What storage costs in a month at the present rate. Null while the chain was not read. */
      storage: amount.or('null'),
      /** Share of the fees in both. */
      fee_percent: 'number.integer | null',
      /** Absent: nothing is known that avoids them. */
      'saving?': { how: 'string', objects: 'number.integer', saved: amount, command: 'string' },
    }).array(),
  }),
  refusals: ['prices_unreadable'],
})
