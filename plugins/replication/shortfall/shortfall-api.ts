/** Endpoints of objects that have fewer copies than their target. Times are RFC 3339 in UTC, in whole seconds. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

const work = type("'working' | 'waiting' | 'stuck'")
const someText = type('string > 0')

const shortfall = type({
  bucket: 'string',
  /** The key of one current version with these bytes, and the number of all. */
  key: 'string',
  version_id: 'string',
  objects: 'number.integer',
  size: 'number.integer',
  work,
  target_copies: 'number.integer',
  stored_copies: 'number.integer',
  'wait_reason?': 'string',
  'wait_message?': 'string',
  'wait_until?': 'string',
  /** Failures of its copies, one for each provider. */
  failures: type({ provider_id: 'string', 'provider_name?': 'string', message: 'string' }).array(),
})

export const shortfallPageSizes = { usual: 50, max: 100 } as const

export const listShortfallObjects = defineEndpoint({
  method: 'GET',
  path: '/api/v1/below-target',
  summary: 'List objects with fewer copies than their target; a page may be short, or empty, while there is a next one',
  query: type({
    'bucket?': someText,
    'work?': work,
    /** Only objects with a failed copy at this provider. */
    'provider_id?': someText,
    'limit?': type('string.integer.parse').to(`1 <= number.integer <= ${shortfallPageSizes.max}`),
    /** The `next_cursor` of the page before. */
    'cursor?': type(/^\d{1,15}\.[a-z]{0,20}\.\d{1,15}$/),
  }),
  answer: type({ objects: shortfall.array(), 'next_cursor?': 'string' }),
  refusals: ['bucket_not_found'],
})

const cause = type({
  /** stuck: nothing works on the objects · waiting: their tasks wait. */
  work: "'stuck' | 'waiting'",
  /** Absent: the cause is at no provider. */
  'provider_id?': 'string',
  'provider_name?': 'string',
  /** Code of the failure, or word of the wait. */
  'reason?': 'string',
  'message?': 'string',
  /** Current versions below their target. */
  objects: 'number.integer',
  /** Failed tasks of the provider that were not dismissed; counted up to 1,000. */
  failed_tasks: 'number.integer',
  /** Data sets of the provider that get copies, by id of the service: at most 10. */
  data_sets: type({ id: 'number.integer', bucket: 'string' }).array(),
})

export const listCauses = defineEndpoint({
  method: 'GET',
  path: '/api/v1/below-target/causes',
  summary: 'Say why objects have fewer copies than their target, one entry for each cause; counts may be some seconds old',
  answer: type({ objects: { working: 'number.integer', waiting: 'number.integer', stuck: 'number.integer' }, causes: cause.array() }),
})

export const retryShortfall = defineEndpoint({
  method: 'POST',
  path: '/api/v1/below-target/retry',
  role: 'operator',
  summary: 'Enqueue the tasks that objects below their target need and do not have, also after dismissed failures; nothing is paid twice',
  audit: ['provider_id', 'tasks'],
  body: type({
    /** Only work of this provider. */
    'provider_id?': someText,
    /** The `next_cursor` of the request before. Without it a request begins with the first work. */
    'cursor?': type(/^((ensure|pull|commit|cleanup|end|standing)\.\d{1,15}|store\.\d{1,15}\.[a-z]{0,20}\.\d{1,15})$/),
  }),
  isBodyOptional: true,
  answer: type({
    tasks: 'number.integer',
    /** More work is left than one request looks at or enqueues: repeat it with `next_cursor`. */
    has_more: 'boolean',
    'next_cursor?': 'string',
  }),
})

export type Shortfall = typeof shortfall.infer
export type ShortfallCauseView = typeof cause.infer
