import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { readTime } from '#plugins/admin'

export const auditPageSizes = { usual: 50, max: 200 } as const

const time = type('string')
  .narrow(documented({ format: 'date-time' }))
  .pipe((text, ctx) => readTime(text) ?? ctx.error('an RFC 3339 time such as 2026-01-31T12:00:00Z'))
const what = type("'sign_in' | 'block' | 'refusal' | 'change'")
const outcome = type("'done' | 'refused' | 'failed' | 'blocked' | 'cut'")

export const auditLine = type({
  id: 'number.integer',
  at: 'string',
  /** `block`: a client sent too many wrong passwords. `refusal`: for safety, such as a page of another site or a role that is too low. */
  what,
  /** `cut`: the client left before the answer. */
  outcome,
  /** Absent: not signed in, or a name that is not known. */
  'who?': 'string',
  how: 'string',
  client: 'string',
  'method?': 'string',
  /** Pattern of the route. */
  'route?': 'string',
  'status?': 'number.integer',
  /** What the request named. */
  subject: type({ '[string]': 'string | number | boolean' }),
})

export const listAudit = defineEndpoint({
  method: 'GET',
  path: '/api/v1/audit',
  summary: 'Sign-ins, refusals for safety and changes, newest first',
  role: 'admin',
  query: type({
    'what?': what,
    'outcome?': outcome,
    'who?': 'string <= 256',
    'route?': 'string <= 512',
    'from?': time,
    'to?': time,
    'limit?': type('string.integer.parse').to(`1 <= number.integer <= ${auditPageSizes.max}`),
    /** The `next_cursor` of the page before. */
    'cursor?': type('string.integer.parse').to('1 <= number.integer <= 9007199254740991'),
  }),
  answer: type({ lines: auditLine.array(), 'next_cursor?': 'number.integer' }),
})

export type AuditEntry = typeof auditLine.infer
