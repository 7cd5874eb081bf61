/** Size limits of objects and parts. The messages name the limit that applies, and the setting that widens it. */
import { objectSizes, type SizeLimits, smallObjectClients, widestObjectSizes } from '../contract.ts'

export const pieceSizes: SizeLimits = objectSizes

export interface PartLimits {
  /** Objects above this are split into contents of at most this size. */
  readonly bytesMax: number
  /** How long a put waits for room in the cache after its first part while no bytes move to copies, how long in any case, and how often it looks. */
  readonly roomWaitMs: number
  readonly roomWaitMsMax: number
  readonly roomPollMs: number
}

const minuteMs = 60_000

/** A part is a piece. The largest one takes up to 4.5 h at the slowest provider that is accepted. */
export const pieceParts: PartLimits = {
  bytesMax: objectSizes.bytesMax,
  roomWaitMs: 15 * minuteMs,
  roomWaitMsMax: 6 * 60 * minuteMs,
  roomPollMs: 1000,
}

export interface BodyLimits extends SizeLimits {
  /** Limit of the object of a part. Absent: the body is an object. */
  readonly objectBytesMax?: number
}

interface SizeProblem {
  readonly code: 'entity_too_small' | 'entity_too_large'
  readonly message: string
  /** `size` only if the whole size is known. */
  readonly details: { readonly size?: number; readonly bytesMin: number } | { readonly size?: number; readonly bytesMax: number }
}

/** Checks a size that was declared, or that of a complete body. */
export function sizeProblem(size: number, limits: BodyLimits): SizeProblem | undefined {
  const { bytesMin } = limits
  if (size < bytesMin) {
    return {
      code: 'entity_too_small',
      message: `an object of ${size} bytes is below the smallest size of ${bytesMin} bytes (s3.min_object_size); s3.object_sizes = "any" allows it, which ${smallObjectClients} need`,
      details: { size, bytesMin },
    }
  }
  return size > limits.bytesMax ? tooLarge(limits, size) : undefined
}

/** Checks the bytes received so far of a body of unknown size. */
export function largeProblem(bytes: number, limits: BodyLimits): SizeProblem | undefined {
  return bytes > limits.bytesMax ? tooLarge(limits) : undefined
}

function tooLarge({ bytesMax, objectBytesMax }: BodyLimits, size?: number): SizeProblem {
  const message = objectBytesMax === undefined ? objectMessage(bytesMax, size) : partMessage(bytesMax, objectBytesMax, size)
  return { code: 'entity_too_large', message, details: { ...(size !== undefined && { size }), bytesMax } }
}

function objectMessage(bytesMax: number, size: number | undefined): string {
  const object = size === undefined ? 'the object' : `an object of ${size} bytes`
  const message = `${object} is above the largest size of ${bytesMax} bytes`
  const { bytesMax: widest } = widestObjectSizes
  return bytesMax < widest ? `${message} (s3.max_object_size); s3.object_sizes = "any" allows ${widest} bytes` : message
}

function partMessage(bytesMax: number, objectBytesMax: number, size: number | undefined): string {
  const part = size === undefined ? 'the part' : `a part of ${size} bytes`
  const message = `${part} is above the largest part of ${bytesMax} bytes; use smaller parts`
  // A larger part would be above the limit of its object too.
  return objectBytesMax > bytesMax ? message : `${message}, of an object of at most ${objectBytesMax} bytes (s3.max_object_size)`
}
