/** Addresses of the S3 users. A secret is in the answer that made it and in no other. */

import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { s3Roles } from '../contract.ts'

const role = type.enumerated(...s3Roles)
const userPath = type({ accessKey: 'string' })
const requireJsonType = true
const bytesMax = 1024 * 1024

export const s3UserItem = type({ access_key: 'string', role, bucket_count: 'number.integer' })
export const s3Credentials = type({ access_key: 'string', secret_key: 'string', role })

export const listUsers = defineEndpoint({
  method: 'GET',
  path: '/api/v1/s3-users',
  summary: 'Every S3 user, in order of access key',
  answer: s3UserItem.array(),
})

export const createUser = defineEndpoint({
  method: 'POST',
  path: '/api/v1/s3-users',
  summary: 'Create an S3 user, a userplus unless said otherwise; the secret is shown once',
  audit: ['role', 'access_key'],
  body: type({ 'role?': role }),
  requireJsonType,
  bytesMax,
  answer: s3Credentials,
  status: 201,
})

export const changeRole = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/s3-users/:accessKey',
  summary: 'Give an S3 user another role; it counts from the next request on',
  audit: ['role'],
  params: userPath,
  body: type({ role }),
  requireJsonType,
  bytesMax,
  answer: s3UserItem,
  refusals: ['s3_user_internal', 's3_user_not_found'],
})

export const rotateSecret = defineEndpoint({
  method: 'POST',
  path: '/api/v1/s3-users/:accessKey/secret',
  summary: 'Give an S3 user a new secret, shown once; the old one is refused at once',
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
  summary: 'Delete an S3 user that owns no bucket',
  params: userPath,
  status: 204,
  refusals: ['s3_user_internal', 's3_user_not_found', 's3_user_owns_buckets'],
})

export type S3UserItem = typeof s3UserItem.infer
export type S3Credentials = typeof s3Credentials.infer
