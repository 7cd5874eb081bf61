import type { Bucket, PutObject, SizeLimits } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { type BodyLimits, largeProblem, sizeProblem } from './size-policy.ts'

/** A put whose bucket and key are valid. */
export interface Put {
  readonly request: PutObject
  readonly bucket: Bucket
  readonly limits: SizeLimits
  /** Identity of the source of a copy. */
  readonly copied?: CopiedIdentity | undefined
}

/** What a version made by an upload in parts has instead of the MD5 of its bytes. */
export interface CopiedIdentity {
  readonly etag: string
  /** JSON; null for a source that was not made of parts. */
  readonly multipartParts: string | null
}

/** Throws when the bytes received so far are too many. */
export function refuseBytes(total: number, declared: number | undefined, limits: BodyLimits): void {
  if (declared !== undefined && total > declared) {
    throw storageErrors.incomplete_body({ message: `the body has more than the declared ${declared} bytes` })
  }
  refuse(largeProblem(total, limits))
}

/** Throws when the body ended early or is outside the limits. */
export function refuseEnd(size: number, declared: number | undefined, limits: BodyLimits): void {
  if (declared !== undefined && size < declared) {
    throw storageErrors.incomplete_body({ message: `the body ended after ${size} of the declared ${declared} bytes` })
  }
  refuse(sizeProblem(size, limits))
}

export function refuse(problem: ReturnType<typeof sizeProblem>): void {
  if (!problem) return
  const { code, ...options } = problem
  throw storageErrors[code](options)
}
