import { S3Error, type S3ErrorCode } from '../../wire/s3-error.ts'
import { xmlDocument } from '../../wire/xml.ts'
import { type Operation, xmlAnswer } from '../operation.ts'

/** What a bucket answers about a configuration that it cannot have: a document, or an error that says that there is none. */
export type FixedAnswer = { readonly root: string; readonly content: string } | { readonly error: S3ErrorCode }

/** `content`: XML. */
export const saysDocument = (root: string, content = ''): FixedAnswer => ({ root, content })

export const saysAbsent = (error: S3ErrorCode): FixedAnswer => ({ error })

export function fixedAnswer(answer: FixedAnswer): Operation {
  if ('root' in answer) {
    const body = xmlDocument(answer.root, answer.content)
    return { scope: 'bucket', run: () => xmlAnswer(body) }
  }
  return {
    scope: 'bucket',
    run({ bucket }) {
      throw new S3Error(answer.error, { extras: { BucketName: bucket.name } })
    },
  }
}
