/** Size limits of objects. The messages name the settings of the limits. */
import { objectSizes, type SizeLimits } from '../contract.ts'

export const pieceSizes: SizeLimits = objectSizes

type SizeProblem = { readonly code: 'entity_too_small' | 'entity_too_large'; readonly message: string }

/** Checks the size of a complete body. */
export function sizeProblem(bytes: number, limits: SizeLimits): SizeProblem | undefined {
  if (bytes < limits.bytesMin) {
    return {
      code: 'entity_too_small',
      message: `an object of ${bytes} bytes is below the smallest size of ${limits.bytesMin} bytes (s3.min_object_size)`,
    }
  }
  return largeProblem(bytes, limits)
}

/** Checks the bytes received so far of an unfinished body. */
export function largeProblem(bytes: number, limits: SizeLimits): SizeProblem | undefined {
  if (bytes <= limits.bytesMax) return undefined
  return {
    code: 'entity_too_large',
    message: `an object of ${bytes} bytes is above the largest size of ${limits.bytesMax} bytes (s3.max_object_size)`,
  }
}
