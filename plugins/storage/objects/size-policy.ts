/** Size limits of objects. The messages name the settings of the limits. */
import { objectSizes, type SizeLimits } from '../contract.ts'

export const pieceSizes: SizeLimits = objectSizes

interface SizeProblem {
  readonly code: 'entity_too_small' | 'entity_too_large'
  readonly message: string
  /** `size` only if the whole size is known. */
  readonly details: { readonly size?: number; readonly bytesMin: number } | { readonly size?: number; readonly bytesMax: number }
}

/** Checks a size that was declared, or that of a complete body. */
export function sizeProblem(size: number, limits: SizeLimits): SizeProblem | undefined {
  const { bytesMin, bytesMax } = limits
  if (size < bytesMin) {
    return {
      code: 'entity_too_small',
      message: `an object of ${size} bytes is below the smallest size of ${bytesMin} bytes (s3.min_object_size)`,
      details: { size, bytesMin },
    }
  }
  return size > bytesMax ? tooLarge(`an object of ${size} bytes`, { size, bytesMax }) : undefined
}

/** Checks the bytes received so far of a body of unknown size. */
export function largeProblem(bytes: number, { bytesMax }: SizeLimits): SizeProblem | undefined {
  return bytes > bytesMax ? tooLarge('the object', { bytesMax }) : undefined
}

function tooLarge(what: string, details: { readonly size?: number; readonly bytesMax: number }): SizeProblem {
  return {
    code: 'entity_too_large',
    message: `${what} is above the largest size of ${details.bytesMax} bytes (s3.max_object_size)`,
    details,
  }
}
