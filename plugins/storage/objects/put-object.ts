/** @walk put 10: lists the steps that make the bytes durable */
import type { Cache } from '../cache/cache.ts'
import type { Buckets, ObjectVersion, PutObject, SizeLimits } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { keyProblem } from './key-policy.ts'
import { type CopiedIdentity, type Put, refuse } from './put-checks.ts'
import { putEmpty, putOne } from './put-one.ts'
import { type PutPartsDeps, putParts } from './put-parts.ts'
import { type PutSmallDeps, putSmall } from './put-small.ts'
import { sizeProblem } from './size-policy.ts'

export type PutDeps = PutSmallDeps &
  PutPartsDeps & {
    readonly buckets: Pick<Buckets, 'require'>
    readonly cache: Pick<Cache, 'databaseBytesMax'>
    readonly sizes: () => SizeLimits
  }

/**
 * A small body is kept in memory and written with its rows. For others:
 * P0 reserve cache space · P1 write the body to a new file · P2 fdatasync it · P3 fsync its folder · P4, P5 commit the rows · P6 answer.
 * Before P5 the object is invisible and a crash leaves an orphan file; after P5 it is durable (I-01).
 */
export async function putObject(deps: PutDeps, request: PutObject, copied?: CopiedIdentity): Promise<ObjectVersion> {
  const bucket = deps.buckets.require(request.bucket)
  requireKey(request.key)
  const put: Put = { request, bucket, limits: deps.sizes(), copied }
  if (request.size !== undefined) refuse(sizeProblem(request.size, put.limits))
  if (request.size === 0) return putEmpty(deps, put)
  if (request.size !== undefined && request.size <= deps.cache.databaseBytesMax) return putSmall(deps, put)
  const largest = request.size ?? put.limits.bytesMax
  return largest > deps.parts.bytesMax ? putParts(deps, put) : putOne(deps, put)
}

export function requireKey(key: string): void {
  const problem = keyProblem(key)
  if (problem) throw storageErrors.invalid_key({ message: `the object key ${problem}` })
}
