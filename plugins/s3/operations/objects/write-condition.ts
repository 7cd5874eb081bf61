import type { ObjectVersion } from '#plugins/storage'
import { evaluateWriteConditions, type WriteConditions } from '../../wire/conditions.ts'
import { S3Error } from '../../wire/s3-error.ts'
import type { ObjectRequest } from '../operation.ts'

type WriteCondition = (current: ObjectVersion | undefined) => void

/**
 * Returns a check of the current version that throws NoSuchKey or PreconditionFailed; undefined without conditions. Throws AccessDenied for a
 * comparison of an ETag by a caller who may not read the object.
 */
export async function readWriteCondition(request: ObjectRequest): Promise<WriteCondition | undefined> {
  const { headers, bucket, key } = request
  const conditions: WriteConditions = { ifMatch: headers.get('if-match'), ifNoneMatch: headers.get('if-none-match') }
  if (conditions.ifMatch === undefined && conditions.ifNoneMatch === undefined) return undefined
  if (conditions.ifMatch !== undefined || conditions.ifNoneMatch?.trim() !== '*') await request.require('s3:GetObject', { bucket, key })
  return (current) => {
    const live = current === undefined || current.isDeleteMarker ? undefined : current.etag
    const result = evaluateWriteConditions(conditions, live)
    if (result.kind === 'absent') throw new S3Error('NoSuchKey', { extras: { Key: key } })
    if (result.kind === 'failed') throw new S3Error('PreconditionFailed', { extras: { Condition: result.condition } })
  }
}
