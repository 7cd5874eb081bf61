/** @walk put 7: runs the handler of the operation */
import type { S3Action } from '../auth/actions.ts'
import type { RequirePermission } from '../auth/permissions.ts'
import {
  type BucketRequest,
  requireBucket,
  requireExpectedOwner,
  type S3Answer,
  type S3Request,
  type S3Services,
} from '../operations/operation.ts'
import type { NamedRow } from '../operations/table/operation-table.ts'
import { S3Error } from '../wire/s3-error.ts'
import type { Place } from '../wire/target.ts'

/** Asks for the main permission, then runs the handler. The order of the errors is that of S3: bucket, permission, then what is not implemented. */
export async function runOperation(operation: NamedRow, request: S3Request, place: Place, services: S3Services): Promise<S3Answer> {
  const { handler } = operation
  const action = mainAction(operation, request)
  if (place.kind === 'service' || handler?.scope === 'bucket-name') {
    await requireAction(request, action)
    if (handler?.scope === 'service') return handler.run(request, services)
    if (handler?.scope === 'bucket-name' && place.kind !== 'service') return handler.run({ ...request, bucketName: place.bucket }, services)
    throw notImplemented(operation)
  }
  if (action === undefined && handler === undefined) throw notImplemented(operation)
  const bucket = requireBucket(services.buckets, place.bucket)
  const bucketRequest: BucketRequest = { ...request, bucket }
  await requireAction(
    request,
    action,
    place.kind === 'object' ? { bucket, key: place.key, versionId: versionOf(operation, request) } : { bucket },
  )
  // After the permission, so that callers without it cannot guess the owner. Both refusals are AccessDenied.
  if (action !== undefined) requireExpectedOwner(request.headers.get('x-amz-expected-bucket-owner'), bucket, services)
  if (handler?.scope === 'bucket') return handler.run(bucketRequest, services)
  if (handler?.scope === 'object' && place.kind === 'object') return handler.run({ ...bucketRequest, key: place.key }, services)
  throw notImplemented(operation)
}

function mainAction({ action, versionAction }: NamedRow, { query }: S3Request): S3Action | undefined {
  return versionAction !== undefined && query.has('versionId') ? versionAction : action
}

const versionOf = ({ versionAction }: NamedRow, { query }: S3Request): string | undefined =>
  versionAction === undefined ? undefined : query.get('versionId')

async function requireAction({ require }: S3Request, action: S3Action | undefined, resource?: Parameters<RequirePermission>[1]) {
  if (action !== undefined) await require(action, resource)
}

const notImplemented = ({ name }: NamedRow): S3Error =>
  new S3Error('NotImplemented', { message: `The operation ${name} is not implemented.` })
