/** Endpoints that bring the contents of a bucket up to its present number of copies. Amounts are decimal text in 10^-18 USDFC. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

const amount = type('string').narrow(documented({ pattern: '^\\d+$' }))
const count = 'number.integer'
const copies = type('1 <= number.integer <= 8')
const path = '/api/v1/buckets/:name/copies/raise'
const params = type({ name: 'string' })

const raise = type({
  id: count,
  bucket_id: count,
  bucket: 'string',
  client_request_id: 'string',
  /** The target of the bucket when the raise was requested. */
  target_copies: copies,
  /** `raising`: the targets of contents are being raised; `copying`: their copies are being made. */
  status: "'raising' | 'copying' | 'completed'",
  /** Raised so far: contents, and what their added copies are. */
  contents: count,
  copies: count,
  bytes: count,
  /** Share of the contents up to which targets were raised. */
  percent_raised: 'number',
  /** Contents of the bucket that lack copies now; counting stops at 10,000. */
  lacking_copies: count,
  created_at: 'string',
  updated_at: 'string',
  'finished_at?': 'string',
})

export const showRaise = defineEndpoint({
  method: 'GET',
  path,
  summary: 'Show what raising the contents of a bucket to its present number of copies would add and cost, and the newest raise',
  params,
  answer: type({
    bucket: 'string',
    target_copies: copies,
    /** Contents with a lower target. A part of an object above the size of a piece is one content. */
    contents: count,
    /** Copies that a raise would add, and the bytes of them. */
    copies: count,
    bytes: 'string',
    /** Null while the prices cannot be read. */
    cost: type({
      /** To send with the raise in the header `svc-price-list`. */
      price_fingerprint: 'string',
      /** One-time fees when pieces share calls, and when each has a call of its own. */
      fee: amount,
      fee_max: amount,
      lock: amount,
      rate: { per_epoch: amount, per_day: amount, per_month: amount },
      /** Missing in the account before all copies can be added. */
      deposit_needed: amount,
      /** Why copies would wait, as a sentence, such as a spend limit. */
      'waits_for?': 'string',
    }).or('null'),
    raise: raise.or('null'),
  }),
  refusals: ['bucket_not_found'],
})

export const startRaise = defineEndpoint({
  method: 'POST',
  path,
  role: 'operator',
  summary: 'Raise the contents of a bucket to its present number of copies; the same request again changes nothing',
  audit: ['client_request_id', 'target_copies'],
  params,
  body: type({
    client_request_id: type('string')
      .pipe((text) => text.trim())
      .to('0 < string <= 128'),
    /** The target that was shown: a bucket whose target changed since is refused. */
    target_copies: copies,
  }),
  bytesMax: 4096,
  answer: type({ raise }),
  status: 202,
  refusals: ['bucket_not_found', 'copy_raise_target_changed', 'copy_raise_unfinished', 'copy_raise_idempotency_conflict'],
})

export type RaiseAnswer = typeof raise.infer
export type RaisePreview = typeof showRaise.answer.infer
