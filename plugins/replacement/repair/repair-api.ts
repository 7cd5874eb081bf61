/** Endpoint of the decisions of the automatic repair. Times are RFC 3339 in UTC, amounts decimal text in 10^-18 USDFC. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { repairSignals } from './signal-policy.ts'

export const repairPageSizes = { usual: 50, max: 200 } as const

export const repairActions = ['replaced', 'refused', 'left_alone', 'loss'] as const

const count = 'number.integer'
const digits = type('string').narrow(documented({ pattern: '^\\d+$' }))
const id = type('string.integer.parse').to('1 <= number.integer <= 9007199254740991')

const decision = type({
  id: count,
  at: 'string',
  /** `replaced`: a replacement was confirmed; `refused`: it could not be now; `left_alone`: the fault ended by itself; `loss`: contents are lost. */
  action: type.enumerated(...repairActions),
  /** What was wrong, and since when. */
  signal: type.enumerated(...repairSignals),
  since: 'string',
  /** A code, such as `spend_ceiling` or a code of the refusals of replacements. */
  reason: 'string',
  message: 'string',
  provider_id: 'string',
  bucket_id: count,
  bucket: 'string',
  data_set_id: count,
  copy_index: count,
  'replacement_id?': count,
  /** Estimated one-time fees, at most. */
  'fee?': digits,
  'lost?': { contents: count, versions: count, bytes: digits },
})

export const listRepairs = defineEndpoint({
  method: 'GET',
  path: '/api/v1/storage-repairs',
  summary: 'List the decisions of the automatic repair with their reasons, and losses of contents, newest first',
  query: type({
    /** Only decisions with a lower id: that of the last one of the page before. */
    'before?': id,
    'limit?': type('string.integer.parse').to(`1 <= number.integer <= ${repairPageSizes.max}`),
  }),
  answer: type({
    auto: 'boolean',
    /** Estimated fees of the repairs of the UTC day, and their limit; null: none of its own. */
    spent_today: digits,
    daily_spend_limit: digits.or('null'),
    repairs: decision.array(),
    /** The `before` of the next page; absent on the last one. */
    'next?': count,
  }),
})

export type RepairList = typeof listRepairs.answer.infer
