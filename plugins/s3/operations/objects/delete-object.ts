/** @walk removal 1: deletes a version, or adds a delete marker */
import { readVersionId } from '../../wire/query.ts'
import type { ObjectRequest, Operation, S3Answer, S3Services } from '../operation.ts'
import { type DeleteCondition, NothingToDelete, readDeleteCondition } from './delete-conditions.ts'

/** Adds a delete marker, or deletes the requested version. */
export const deleteObject: Operation = {
  scope: 'object',
  async run(request, services) {
    const condition = readDeleteCondition(request.headers)
    const versionId = readVersionId(request.query)
    const { bucket, key } = request
    // Its answer tells about the object.
    if (condition) await request.require(versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', { bucket, key, versionId })
    try {
      if (versionId !== undefined) return await removeVersion(request, services, { versionId, condition })
      const marker = await services.objects.delete(bucket, key, condition)
      return { status: 204, headers: { 'x-amz-delete-marker': 'true', 'x-amz-version-id': marker.versionId } }
    } catch (error) {
      if (error instanceof NothingToDelete)
        return { status: 204, headers: versionId === undefined ? {} : { 'x-amz-version-id': versionId } }
      throw error
    }
  },
}

/** Deleting a missing version succeeds. */
async function removeVersion(
  { bucket, key }: ObjectRequest,
  { versions }: S3Services,
  { versionId, condition }: { readonly versionId: string; readonly condition: DeleteCondition | undefined },
): Promise<S3Answer> {
  const removed = await versions.delete({ bucket, key, versionId, ...(condition && { condition }) })
  const marker = removed?.isDeleteMarker ? { 'x-amz-delete-marker': 'true' } : {}
  return { status: 204, headers: { ...marker, 'x-amz-version-id': versionId } }
}
