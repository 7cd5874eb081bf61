import { authenticate } from '../auth/authenticate.ts'
import type { Authentication } from '../auth/authentication.ts'
import { authorize } from '../auth/authorize-policy.ts'
import { openRequestBody } from '../auth/request-body.ts'
import type { BucketRequest, S3Answer, S3Request, S3Services } from '../operations/operation.ts'
import type { NamedRow } from '../operations/table/operation-table.ts'
import { ownerId } from '../users/owner-id.ts'
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
  const operation = routeOperation({ method: incoming.method, target: incoming.target, headers })
  incoming.notes.operation = operation.name
  const request: S3Request = {
    method: incoming.method,
    query: incoming.target.query,
    headers,
    caller: authentication?.user,
    now: incoming.now,
    openBody: () => openBody(incoming, context, { headers, authentication }),
  }
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

/** The order of the errors is that of S3: bucket, permission, then what is not implemented. */
function runOperation(operation: NamedRow, request: S3Request, { place, context }: OperationScope): S3Answer | Promise<S3Answer> {
  const { action, handler, level } = operation
  if (level === 'service' || handler?.scope === 'bucket-name') {
    requireAllowed(request, action)
    if (handler?.scope === 'service') return handler.run(request, context)
    if (handler?.scope === 'bucket-name') return handler.run({ ...request, bucketName: bucketOf(place) }, context)
    throw notImplemented(operation)
  }
  if (action === undefined) throw notImplemented(operation)
  const bucketRequest = inBucket(request, bucketOf(place), context)
  requireAllowed(request, action, bucketRequest.bucket.ownerAccessKey)
  if (handler?.scope === 'bucket') return handler.run(bucketRequest, context)
  if (handler?.scope === 'object') return handler.run({ ...bucketRequest, key: place.kind === 'object' ? place.key : '' }, context)
  throw notImplemented(operation)
}

const bucketOf = (place: Place): string => (place.kind === 'service' ? '' : place.bucket)

const notImplemented = ({ name }: NamedRow): S3Error =>
  new S3Error('NotImplemented', { message: `The operation ${name} is not implemented.` })

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

/** `action`: undefined for an operation that needs no permission. */
function requireAllowed(request: S3Request, action: string | undefined, owner?: string | null): void {
  if (action === undefined) return
  const verdict = authorize(request.caller, action, owner)
  if (verdict.allow) return
  if (verdict.reason !== 'role-may-not-create-buckets') throw new S3Error('AccessDenied')
  throw new S3Error('AccessDenied', { message: 'Your role may not create buckets. Use a user with the role userplus or admin.' })
}
