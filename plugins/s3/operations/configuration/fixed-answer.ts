import { S3Error, type S3ErrorCode } from '../../wire/s3-error.ts'
import { xmlDocument } from '../../wire/xml.ts'
import { type Operation, xmlAnswer } from '../operation.ts'

/** What a bucket answers about a configuration that it cannot have: a document, or an error that says that there is none. */
export type FixedAnswer = { readonly root: string; readonly content: string } | { readonly error: S3ErrorCode; readonly message?: string }

/** `content`: XML. */
export const saysDocument = (root: string, content = ''): FixedAnswer => ({ root, content })

/** `message`: for a code that does not say what is absent. */
export const saysAbsent = (error: S3ErrorCode, message?: string): FixedAnswer => ({ error, ...(message !== undefined && { message }) })

export function fixedAnswer(answer: FixedAnswer): Operation {
  if ('root' in answer) {
    const body = xmlDocument(answer.root, answer.content)
    return { scope: 'bucket', run: () => xmlAnswer(body) }
  }
  const { error, ...message } = answer
  return {
    scope: 'bucket',
    run({ bucket }) {
      throw new S3Error(error, { ...message, extras: { BucketName: bucket.name } })
    },
  }
}
