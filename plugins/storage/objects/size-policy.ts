/** Size limits of objects. */
import { objectSizes } from '../contract.ts'

export interface SizeLimits {
  readonly bytesMin: number
  readonly bytesMax: number
}

export const pieceSizes: SizeLimits = objectSizes

type SizeProblem = { readonly code: 'entity_too_small' | 'entity_too_large'; readonly message: string }

/** Checks the size of a complete body. */
export function sizeProblem(bytes: number, limits: SizeLimits): SizeProblem | undefined {
  if (bytes < limits.bytesMin) {
    return { code: 'entity_too_small', message: `an object of ${bytes} bytes is below the smallest size of ${limits.bytesMin} bytes` }
  }
  return largeProblem(bytes, limits)
}

/** Checks the bytes received so far of an unfinished body. */
export function largeProblem(bytes: number, limits: SizeLimits): SizeProblem | undefined {
  if (bytes <= limits.bytesMax) return undefined
  return { code: 'entity_too_large', message: `an object of ${bytes} bytes is above the largest size of ${limits.bytesMax} bytes` }
}
