import type { Bucket, PutObject, SizeLimits } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { largeProblem, sizeProblem } from './size-policy.ts'

/** A put whose bucket and key are valid. */
export interface Put {
  readonly request: PutObject
  readonly bucket: Bucket
  readonly limits: SizeLimits
}

/** Throws when the declared length is outside the limits. */
export function refuseDeclared({ request, limits }: Put): void {
  if (request.size !== undefined) refuse(sizeProblem(request.size, limits))
}

/** Throws when the bytes received so far are too many. */
export function refuseBytes(total: number, { request, limits }: Put): void {
  if (request.size !== undefined && total > request.size) {
    throw storageErrors.incomplete_body({ message: `the body has more than the declared ${request.size} bytes` })
  }
  refuse(largeProblem(total, limits))
}

/** Throws when the body ended early or is outside the limits. */
export function refuseEnd(size: number, { request, limits }: Put): void {
  if (request.size !== undefined && size < request.size) {
    throw storageErrors.incomplete_body({ message: `the body ended after ${size} of the declared ${request.size} bytes` })
  }
  refuse(sizeProblem(size, limits))
}

function refuse(problem: ReturnType<typeof sizeProblem>): void {
  if (problem) throw storageErrors[problem.code]({ message: problem.message })
}
