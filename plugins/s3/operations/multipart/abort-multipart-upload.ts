import type { Upload } from '#plugins/storage'
import type { Headers } from '../../wire/headers.ts'
import { invalidArgument, S3Error } from '../../wire/s3-error.ts'
import type { Operation } from '../operation.ts'
import { placeOf, requireOwnUpload } from './open-upload.ts'

/** Removes an open upload and its parts. */
export const abortMultipartUpload: Operation = {
  scope: 'object',
  async run(request, { uploads }) {
    const condition = readCondition(request.headers)
    await uploads.abort({
      ...placeOf(request),
      condition(upload) {
        requireOwnUpload(request, upload)
        condition?.(upload)
      },
    })
    return { status: 204, headers: {} }
  },
}

const conditionHeader = 'x-amz-if-match-initiated-time'

/** Times have a resolution of one second. Throws InvalidArgument for a text that is not a time. */
function readCondition(headers: Headers): ((upload: Upload) => void) | undefined {
  const text = headers.get(conditionHeader)
  if (text === undefined) return undefined
  const timeMs = Date.parse(text)
  if (Number.isNaN(timeMs)) throw invalidArgument(conditionHeader, text, `Bad value for ${conditionHeader}: give a time of HTTP.`)
  return ({ createdAtMs }) => {
    if (Math.floor(createdAtMs / 1000) === Math.floor(timeMs / 1000)) return
    throw new S3Error('PreconditionFailed', { extras: { Condition: conditionHeader } })
  }
}
