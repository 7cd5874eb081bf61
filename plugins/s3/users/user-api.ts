/** Admin API endpoints of the S3 users. Only the answers that create or rotate a secret key contain it. */

import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { plainText } from '#kernel/system'
import { limitNames, s3Roles } from '../contract.ts'

const role = type.enumerated(...s3Roles)
const userPath = type({ accessKey: plainText })
const requireJsonType = true
const bytesMax = 1024 * 1024

/** Totals of the buckets of a user, or of all. All object versions count. */
const usage = type({ buckets: 'number.integer', objects: 'number.integer', bytes: 'number.integer', data_sets_today: 'number.integer' })
const limit = 'number.integer | null'
const limits = type({ buckets: limit, objects: limit, bytes: limit, data_sets_per_day: limit })
/** 0: no limit. */
const newLimit = type('0 <= number.integer <= 9007199254740991').describe('a whole number below 2^53 (0: no limit)').or('null')

const userName = plainText.and('0 < string <= 100')

const s3UserItem = type({
  access_key: 'string',
  name: 'string | null',
  /** Its signatures are refused. */
  is_disabled: 'boolean',
  created_at: 'string',
  /** Time of its latest verified signature, up to ten minutes old after a restart; null: none is known. */
  last_used_at: 'string | null',
  owner_id: 'string',
  role,
  bucket_count: 'number.integer',
  usage,
  limits,
  /** Limits of this user alone; the others are those of the settings. */
  own_limits: type.enumerated(...limitNames).array(),
})
const s3Credentials = type({ access_key: 'string', owner_id: 'string', secret_key: 'string', role })

export const listUsers = defineEndpoint({
  method: 'GET',
  path: '/api/v1/s3-users',
  summary: 'List the S3 users, sorted by access key',
  answer: s3UserItem.array(),
})

export const createUser = defineEndpoint({
  method: 'POST',
  path: '/api/v1/s3-users',
  role: 'admin',
  summary: 'Create an S3 user (default role: userplus); the secret key is shown once',
  audit: ['role', 'name', 'access_key'],
  body: type({ 'role?': role, 'name?': userName }),
  requireJsonType,
  bytesMax,
  answer: s3Credentials,
  status: 201,
})

export const changeRole = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/s3-users/:accessKey',
  role: 'admin',
  summary: 'Change the role of an S3 user, effective from its next request',
  audit: ['role'],
  params: userPath,
  body: type({ role }),
  requireJsonType,
  bytesMax,
  answer: s3UserItem,
  refusals: ['s3_user_internal', 's3_user_not_found'],
})

export const changeUser = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/s3-users/:accessKey/profile',
  role: 'admin',
  summary: 'Name an S3 user, or disable it: its signatures are refused, its buckets and keys stay',
  audit: ['name', 'is_disabled'],
  params: userPath,
  body: type({ 'name?': userName.or('null'), 'is_disabled?': 'boolean' })
    .narrow(documented({ minProperties: 1 }))
    .narrow((changes, context) => Object.keys(changes).length > 0 || context.mustBe('an object with a name or is_disabled')),
  requireJsonType,
  bytesMax,
  answer: s3UserItem,
  refusals: ['s3_user_internal', 's3_user_not_found'],
})

export const changeLimits = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/s3-users/:accessKey/limits',
  role: 'admin',
  summary: 'Set limits of one S3 user; 0: no limit, null: that of the settings',
  audit: [...limitNames],
  params: userPath,
  body: type({
    'buckets?': newLimit,
    'objects?': newLimit,
    'bytes?': newLimit,
    'data_sets_per_day?': newLimit,
  })
    .narrow(documented({ minProperties: 1 }))
    .narrow((changes, context) => Object.keys(changes).length > 0 || context.mustBe('an object with at least one limit')),
  requireJsonType,
  bytesMax,
  answer: s3UserItem,
  refusals: ['s3_user_internal', 's3_user_not_found'],
})

export const showTotals = defineEndpoint({
  method: 'GET',
  path: '/api/v1/s3-limits',
  summary: 'Show what all buckets hold, and the total limits',
  answer: type({ usage, limits }),
})

export const rotateSecret = defineEndpoint({
  method: 'POST',
  path: '/api/v1/s3-users/:accessKey/secret',
  role: 'admin',
  summary: 'Replace the secret key of an S3 user; the new one is shown once, the old one stops working immediately',
  params: userPath,
  body: type({}),
  isBodyOptional: true,
  requireJsonType,
  bytesMax,
  answer: s3Credentials,
  refusals: ['s3_user_internal', 's3_user_not_found'],
})

export const deleteUser = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/s3-users/:accessKey',
  role: 'admin',
  summary: 'Delete an S3 user that owns no buckets',
  params: userPath,
  status: 204,
  refusals: ['s3_user_internal', 's3_user_not_found', 's3_user_owns_buckets'],
})

export type S3UserItem = typeof s3UserItem.infer
export type S3Usage = typeof usage.infer
export type S3Limits = typeof limits.infer
export type S3Credentials = typeof s3Credentials.infer
