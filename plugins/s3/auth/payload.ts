import type { Headers } from '../wire/headers.ts'
import { invalidArgument, S3Error } from '../wire/s3-error.ts'

/** Meaning of x-amz-content-sha256: hash of the body, unsigned, or chunked framing. */
export type Payload =
  | { readonly kind: 'hashed'; readonly sha256: string }
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'chunked'; readonly signed: boolean; readonly trailer: boolean }

export const unsignedPayload = 'UNSIGNED-PAYLOAD'

// A Map, because clients choose the key: an object also has inherited members such as `constructor`.
const framings: ReadonlyMap<string, Payload> = new Map([
  [unsignedPayload, { kind: 'unsigned' }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', { kind: 'chunked', signed: true, trailer: false }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', { kind: 'chunked', signed: true, trailer: true }],
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', { kind: 'chunked', signed: false, trailer: true }],
])

/** Parses x-amz-content-sha256. Throws NotImplemented for elliptic-curve signatures, InvalidArgument for other unknown values. */
export function parsePayload(value: string): Payload {
  const framing = framings.get(value)
  if (framing !== undefined) return framing
  if (/^[0-9a-f]{64}$/i.test(value)) return { kind: 'hashed', sha256: value.toLowerCase() }
  if (value.startsWith('STREAMING-AWS4-ECDSA-')) {
    throw new S3Error('NotImplemented', { message: `${value} signatures are not implemented; use AWS4-HMAC-SHA256.` })
  }
  throw invalidArgument(
    'x-amz-content-sha256',
    value,
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a supported STREAMING-* value, or a hex-encoded SHA-256 hash.',
  )
}

/**
 * Reads a request without a signature. Throws InvalidArgument for signed chunks, whose signatures nothing could verify, and NotImplemented or
 * InvalidArgument as `parsePayload`.
 */
export function anonymousPayload(headers: Headers): Payload {
  const value = headers.get('x-amz-content-sha256')
  if (value !== undefined) {
    const payload = parsePayload(value)
    if (payload.kind !== 'chunked' || !payload.signed) return payload
    throw invalidArgument('x-amz-content-sha256', value, 'A request without a signature cannot have signed chunks.')
  }
  // SDKs that do not sign a request leave the hash out, and frame the body all the same.
  const isFramed =
    headers
      .get('content-encoding')
      ?.split(',')
      .some((coding) => coding.trim() === 'aws-chunked') ?? false
  return isFramed ? { kind: 'chunked', signed: false, trailer: headers.has('x-amz-trailer') } : { kind: 'unsigned' }
}
