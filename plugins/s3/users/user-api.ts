/** Endpoints of S3 users. Only the response that creates a secret contains it. */
import { type } from 'arktype'
import { defineEndpoint } from '#kernel'
import type { S3Role } from '../contract.ts'

export const s3Roles = ['user', 'userplus', 'admin'] as const satisfies readonly S3Role[]
const role = type.enumerated(...s3Roles)
const userPath = type({ accessKey: 'string' })
const requireJsonType = true
const bytesMax = 1024 * 1024

export const s3UserItem = type({ access_key: 'string', role, bucket_count: 'number.integer' })
export const s3Credentials = type({ access_key: 'string', secret_key: 'string', role })

export const listUsers = defineEndpoint({
  method: 'GET',
  path: '/api/v1/s3-users',
  summary: 'List all S3 users in order of access key',
  answer: s3UserItem.array(),
})

export const createUser = defineEndpoint({
  method: 'POST',
  path: '/api/v1/s3-users',
  summary: 'Create an S3 user (default role userplus); the secret is shown once',
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
  summary: 'Change the role of an S3 user from its next request on',
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
  summary: 'Rotate the secret of an S3 user; the new one is shown once, the old one ends at once',
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
  summary: 'Delete an S3 user without buckets',
  params: userPath,
  status: 204,
  refusals: ['s3_user_internal', 's3_user_not_found', 's3_user_owns_buckets'],
})

export type S3UserItem = typeof s3UserItem.infer
export type S3Credentials = typeof s3Credentials.infer
