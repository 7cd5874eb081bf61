import type { DeleteItem, DeleteOutcome } from '#plugins/storage'
import { deleteDocument } from '../../documents/delete.ts'
import { deleteResultDocument } from '../../documents/delete-result.ts'
import { isVersionId } from '../../wire/query.ts'
import { S3Error, type S3ErrorCode } from '../../wire/s3-error.ts'
import { requireKey } from '../../wire/target.ts'
import { type BucketRequest, type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'
import { deleteCondition, NothingToDelete } from './delete-conditions.ts'

const bytesMax = 2 * 1024 * 1024

type NamedObject = ReturnType<typeof deleteDocument.parse>['objects'][number]

/** Parts of an S3Error, without its stack: there are up to 1000 until the response is written. */
interface Refusal {
  readonly kind: 'refused'
  readonly code: S3ErrorCode
  readonly message: string
}

/** What happened to one object of the request. */
type Result = (Exclude<DeleteOutcome, { kind: 'refused' }> | Refusal) & { readonly object: NamedObject }

/** Deletes up to 1000 objects or versions in one transaction. Each gets its own permission check and its own error. */
export const deleteObjects: Operation = {
  scope: 'bucket',
  async run(request, { versions }) {
    const { objects, quiet } = await readXmlBody(request, deleteDocument, { bytesMax, needsDigest: true })
    const refused: Result[] = []
    const allowed: NamedObject[] = []
    for (const object of objects) {
      const refusal = await refusalOf(request, object)
      if (refusal === undefined) allowed.push(object)
      else refused.push({ ...refusal, object })
    }
    const outcomes = await versions.deleteMany({ bucket: request.bucket, items: allowed.map(toItem) })
    const done = allowed.flatMap((object, at): Result[] => {
      const outcome = outcomes[at]
      return outcome === undefined ? [] : [{ ...toResult(outcome), object }]
    })
    const all = [...done, ...refused]
    return xmlAnswer(deleteResultDocument.write({ deleted: quiet ? [] : all.flatMap(describeDeleted), errors: all.flatMap(describeError) }))
  },
}

/** The error of an object that is not deleted, because its name is invalid or the caller may not delete it. */
async function refusalOf({ bucket, require }: BucketRequest, object: NamedObject): Promise<Refusal | undefined> {
  const { key, versionId, ...expected } = object
  try {
    requireKey(key)
    await require(versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion', { bucket, key })
    if (deleteCondition(expected))
      await require(versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', { bucket, key, versionId })
    // Amazon S3 answers this here, and InvalidArgument in other operations.
    if (versionId !== undefined && !isVersionId(versionId)) throw new S3Error('NoSuchVersion')
    return undefined
  } catch (error) {
    return toRefusal(error)
  }
}

/** Throws errors that are no S3Error. */
function toRefusal(error: unknown): Refusal {
  if (!(error instanceof S3Error)) throw error
  return { kind: 'refused', code: error.code, message: error.message }
}

function toItem({ key, versionId, ...expected }: NamedObject): DeleteItem {
  const condition = deleteCondition(expected)
  return { key, ...(versionId !== undefined && { versionId }), ...(condition && { condition }) }
}

function toResult(outcome: DeleteOutcome) {
  if (outcome.kind !== 'refused') return outcome
  return outcome.error instanceof NothingToDelete ? ({ kind: 'absent' } as const) : toRefusal(outcome.error)
}

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
  const { object, code, message } = result
  return [{ key: object.key, versionId: object.versionId, code, message }]
}
