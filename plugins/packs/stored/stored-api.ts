/** Endpoints that pack what is stored already. Amounts in 10^-18 USDFC. Times are RFC 3339 in UTC, in whole seconds. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

const bucketName = type('string > 0').narrow(documented({ maxLength: 63 }))

export const showStored = defineEndpoint({
  method: 'GET',
  path: '/api/v1/packs/stored',
  summary: 'Show what it would cost and save to pack the small objects of a bucket that are stored as pieces of their own',
  query: type({ bucket: bucketName }),
  answer: type({
    bucket: 'string',
    /** Contents that can be packed, their bytes, and the packs that they fill. */
    contents: 'number.integer',
    bytes: 'number.integer',
    packs: 'number.integer',
    /** Fees at once, and what each later copy at another provider costs less. Absent while the prices cannot be read. */
    'costs?': { spent: 'string', saved_per_copy: 'string' },
    /** Present while a request is running. */
    'running?': { asked_at: 'string', contents: 'number.integer', packed: 'number.integer', left_out: 'number.integer' },
  }),
  refusals: ['bucket_not_found'],
})

export const packStoredObjects = defineEndpoint({
  method: 'POST',
  path: '/api/v1/packs/stored',
  role: 'operator',
  summary: 'Pack the small objects of a bucket that are stored as pieces of their own',
  audit: ['bucket'],
  body: type({ bucket: bucketName }),
  answer: type({ bucket: 'string', contents: 'number.integer' }),
  refusals: ['bucket_not_found'],
})
