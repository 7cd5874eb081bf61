import type { DeleteItem, DeleteOutcome } from '#plugins/storage'
import { deleteDocument } from '../../documents/delete.ts'
import { deleteResultDocument } from '../../documents/delete-result.ts'
import { requireVersionId } from '../../wire/query.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { requireKey } from '../../wire/target.ts'
import { type BucketRequest, type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'
import { deleteCondition, NothingToDelete } from './delete-conditions.ts'

const bytesMax = 2 * 1024 * 1024

type NamedObject = ReturnType<typeof deleteDocument.parse>['objects'][number]

/** What happened to one object of the request. */
type Result = DeleteOutcome & { readonly object: NamedObject }

/** Deletes up to 1000 objects or versions in one transaction. Each gets its own permission check and its own error. */
export const deleteObjects: Operation = {
  scope: 'bucket',
  async run(request, { versions }) {
    const { objects, quiet } = await readXmlBody(request, deleteDocument, { bytesMax, needsDigest: true })
    const refused: Result[] = []
    const allowed: NamedObject[] = []
    for (const object of objects) {
      const error = await refusalOf(request, object)
      if (error === undefined) allowed.push(object)
      else refused.push({ kind: 'refused', error, object })
    }
    const outcomes = await versions.deleteMany({ bucket: request.bucket, items: allowed.map(toItem) })
    const done = allowed.flatMap((object, at): Result[] => {
      const outcome = outcomes[at]
      return outcome === undefined ? [] : [{ ...toOutcome(outcome), object }]
    })
    const all = [...done, ...refused]
    return xmlAnswer(deleteResultDocument.write({ deleted: quiet ? [] : all.flatMap(describeDeleted), errors: all.flatMap(describeError) }))
  },
}

/** The error of an object that is not deleted, because its name is invalid or the caller may not delete it. */
async function refusalOf({ bucket, require }: BucketRequest, object: NamedObject): Promise<S3Error | undefined> {
  const { key, versionId, ...expected } = object
  try {
    requireKey(key)
    if (versionId !== undefined) requireVersionId(versionId)
    await require(versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion', { bucket, key })
    if (deleteCondition(expected))
      await require(versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', { bucket, key, versionId })
    return undefined
  } catch (error) {
    if (error instanceof S3Error) return error
    throw error
  }
}

function toItem({ key, versionId, ...expected }: NamedObject): DeleteItem {
  const condition = deleteCondition(expected)
  return { key, ...(versionId !== undefined && { versionId }), ...(condition && { condition }) }
}

const toOutcome = (outcome: DeleteOutcome): DeleteOutcome =>
  outcome.kind === 'refused' && outcome.error instanceof NothingToDelete ? { kind: 'absent' } : outcome

/** Deleting a missing version succeeds. */
function describeDeleted(result: Result) {
  const { key, versionId } = result.object
  switch (result.kind) {
    case 'marked':
      return [{ key, versionId: undefined, markerVersionId: result.markerVersionId }]
    case 'removed':
      return [{ key, versionId, markerVersionId: result.isDeleteMarker ? versionId : undefined }]
    case 'absent':
      return [{ key, versionId, markerVersionId: undefined }]
    case 'refused':
      return []
  }
}

function describeError(result: Result) {
  if (result.kind !== 'refused') return []
  const { object, error } = result
  if (!(error instanceof S3Error)) throw error
  return [{ key: object.key, versionId: object.versionId, code: error.code, message: error.message }]
}
