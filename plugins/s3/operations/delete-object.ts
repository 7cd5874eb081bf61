import type { ObjectVersion } from '#plugins/storage'
import { evaluateWriteConditions } from '../http/conditions.ts'
import { S3Error } from '../http/s3-error.ts'
import type { Operation } from './operation.ts'

const unsupportedConditions = ['x-amz-if-match-last-modified-time', 'x-amz-if-match-size']

/** Puts a delete marker on top of the key's versions; the versions stay. */
export const deleteObject: Operation = {
  scope: 'object',
  action: 'delete-object',
  async run({ bucket, key, query, headers }, { objects }) {
    if (query.has('versionId')) {
      throw new S3Error('NotImplemented', { message: 'Deleting one version of an object is not implemented.' })
    }
    for (const name of unsupportedConditions) {
      if (headers.has(name)) throw new S3Error('NotImplemented', { extras: { Header: name } })
    }
    const ifMatch = headers.get('if-match')
    const marker = await objects.delete(bucket.name, key, ifMatch === undefined ? undefined : (current) => requireMatch(ifMatch, current))
    return { status: 204, headers: { 'x-amz-delete-marker': 'true', 'x-amz-version-id': marker.versionId } }
  },
}

/** An absent object is as deleted as the caller wants it; under a delete marker only `*` matches. */
function requireMatch(ifMatch: string, current: ObjectVersion | undefined): void {
  if (current === undefined || (current.isDeleteMarker && ifMatch.trim() === '*')) return
  const result = evaluateWriteConditions({ ifMatch }, current.isDeleteMarker ? '' : current.etag)
  if (result.kind !== 'proceed') throw new S3Error('PreconditionFailed', { extras: { Condition: 'If-Match' } })
}
