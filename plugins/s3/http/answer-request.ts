import { authenticate } from '../auth/authenticate.ts'
import type { Authentication } from '../auth/authentication.ts'
import { authorize } from '../authorize-policy.ts'
import { openRequestBody } from '../body/request-body.ts'
import type { Action, BucketRequest, Operation, S3Answer, S3Request, S3Services } from '../operations/operation.ts'
import { operations } from '../operations/operations.ts'
import { ownerId } from '../operations/owner.ts'
import type { S3Signer } from '../users/signer.ts'
import type { Headers } from '../wire/headers.ts'
import { S3Error } from '../wire/s3-error.ts'
import type { Place, S3Target } from '../wire/target.ts'
import type { RequestNotes } from './access-log.ts'
import { routeOperation } from './router.ts'

interface IncomingRequest {
  readonly method: string
  readonly target: S3Target
  readonly headers: Headers
  readonly wire: AsyncIterable<Buffer>
  /** Milliseconds UTC. */
  readonly now: number
  readonly notes: Pick<RequestNotes, 'operation' | 'accessKey'>
}

export interface AnswerDeps extends S3Services {
  readonly findSigner: (accessKey: string) => S3Signer | undefined
}

/**
 * Authenticates, routes, authorizes and runs the operation. The order decides which error clients see.
 * Throws S3Error, or errors of storage.
 */
export async function answerRequest(incoming: IncomingRequest, context: AnswerDeps): Promise<S3Answer> {
  const authentication = await authenticateRequest(incoming, context)
  const headers = authentication?.headers ?? incoming.headers
  const name = routeOperation({ method: incoming.method, target: incoming.target, headers })
  incoming.notes.operation = name
  const request: S3Request = {
    method: incoming.method,
    query: incoming.target.query,
    headers,
    caller: authentication?.user,
    now: incoming.now,
    openBody: () => openBody(incoming, context, { headers, authentication }),
  }
  const operation = operations.get(name)
  if (operation === undefined) throw new S3Error('NotImplemented', { message: `The operation ${name} is not implemented.` })
  return runOperation(operation, request, { place: incoming.target.place, context })
}

function authenticateRequest({ method, target, headers, now, notes }: IncomingRequest, { settings, findSigner }: AnswerDeps) {
  const findUser = (accessKey: string) => {
    const user = findSigner(accessKey)
    if (user !== undefined) notes.accessKey = accessKey
    return user
  }
  const { rawPath, rawQuery, query } = target
  return authenticate<S3Signer>({ method, rawPath, rawQuery, query, headers, now, region: settings.region, findUser })
}

interface Authenticated {
  readonly headers: Headers
  readonly authentication: Authentication<S3Signer> | undefined
}

function openBody({ wire }: IncomingRequest, { settings }: AnswerDeps, { headers, authentication }: Authenticated) {
  const defaultChecksum = settings.default_checksum === 'none' ? undefined : settings.default_checksum
  return openRequestBody({ wire, headers, authentication, defaultChecksum })
}

interface OperationScope {
  readonly place: Place
  readonly context: AnswerDeps
}

function runOperation(operation: Operation, request: S3Request, { place, context }: OperationScope): S3Answer | Promise<S3Answer> {
  if (operation.scope === 'service') {
    requireAllowed(request, operation.action)
    return operation.run(request, context)
  }
  const bucketName = place.kind === 'service' ? '' : place.bucket
  if (operation.scope === 'bucket-name') {
    requireAllowed(request, operation.action)
    return operation.run({ ...request, bucketName }, context)
  }
  const bucketRequest = inBucket(request, bucketName, context)
  requireAllowed(request, operation.action, bucketRequest.bucket.ownerAccessKey)
  if (operation.scope === 'bucket') return operation.run(bucketRequest, context)
  return operation.run({ ...bucketRequest, key: place.kind === 'object' ? place.key : '' }, context)
}

/** Throws NoSuchBucket, or AccessDenied when x-amz-expected-bucket-owner names another owner. */
function inBucket(request: S3Request, bucketName: string, { buckets }: S3Services): BucketRequest {
  const bucket = buckets.find(bucketName)
  if (bucket === undefined) throw new S3Error('NoSuchBucket', { extras: { BucketName: bucketName } })
  const expectedOwner = request.headers.get('x-amz-expected-bucket-owner')
  if (expectedOwner !== undefined && expectedOwner !== ownerId(bucket.ownerAccessKey)) {
    throw new S3Error('AccessDenied', { message: 'The bucket does not belong to the expected owner.' })
  }
  return { ...request, bucket }
}

function requireAllowed(request: S3Request, action: Action, owner?: string | null): void {
  const verdict = authorize(request.caller, action, owner)
  if (verdict.allow) return
  if (verdict.reason !== 'role-may-not-create-buckets') throw new S3Error('AccessDenied')
  throw new S3Error('AccessDenied', { message: 'Your role may not create buckets. Use a user with the role userplus or admin.' })
}
