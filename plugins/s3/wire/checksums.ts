import { type ChecksumAlgorithm, checksumLengths } from '#plugins/storage'
import { isChecksumAlgorithm } from './checksum-algorithms.ts'
import type { Headers } from './headers.ts'
import { S3Error } from './s3-error.ts'

interface ChecksumRequest {
  readonly algorithm: ChecksumAlgorithm
  /** Base64 value of the header; undefined when the value follows in a trailer. */
  readonly value: string | undefined
}

/** Digests that the request declares for its body. */
export interface BodyChecks {
  /** Content-MD5, decoded. */
  readonly md5: Buffer | undefined
  readonly checksum: ChecksumRequest | undefined
}

const headerPrefix = 'x-amz-checksum-'
const validNames = Object.keys(checksumLengths).join(', ').toUpperCase()
/** Headers with the prefix that do not hold a digest. */
const notDigests: ReadonlySet<string> = new Set(['mode', 'type', 'algorithm'])

/** Reads Content-MD5, x-amz-checksum-* and the announced trailers. Throws InvalidDigest or InvalidRequest. */
export function readBodyChecks(headers: Headers, trailers: readonly string[]): BodyChecks {
  const checksum = findChecksum(headers, trailers)
  if (checksum?.value !== undefined) decodeChecksum(checksum.algorithm, checksum.value)
  requireSdkAlgorithm(headers.get('x-amz-sdk-checksum-algorithm'), checksum)
  return { md5: readContentMd5(headers), checksum }
}

/** Trailer names in x-amz-trailer. Throws InvalidRequest for trailers other than checksums. */
export function readAnnouncedTrailers(headers: Headers): readonly string[] {
  const names = (headers.get('x-amz-trailer') ?? '').split(',').map((name) => name.trim().toLowerCase())
  const announced = names.filter((name) => name !== '')
  for (const name of announced) {
    if (!name.startsWith(headerPrefix)) throw invalidRequest('The value specified in the x-amz-trailer header is not supported')
  }
  return announced
}

/** The algorithm that x-amz-checksum-algorithm requests. Throws InvalidRequest. */
export function readChecksumAlgorithm(headers: Headers): ChecksumAlgorithm | undefined {
  const name = headers.get('x-amz-checksum-algorithm')
  if (name === undefined) return undefined
  const algorithm = name.toLowerCase()
  if (isChecksumAlgorithm(algorithm)) return algorithm
  throw invalidRequest(`Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${validNames}]`)
}

/**
 * The checksum of a whole object in x-amz-checksum-*, in a request whose body is something else. A composite one may end with `-` and the
 * number of parts. Throws InvalidRequest.
 */
export function readObjectChecksum(headers: Headers): { readonly algorithm: ChecksumAlgorithm; readonly value: string } | undefined {
  const found = findChecksum(headers, [])
  if (found?.value === undefined) return undefined
  decodeChecksum(found.algorithm, found.value.replace(/-\d{1,5}$/, ''))
  return { algorithm: found.algorithm, value: found.value }
}

/** Decodes a checksum header or trailer. Throws InvalidRequest for invalid base64 or a wrong length. */
export function decodeChecksum(algorithm: ChecksumAlgorithm, value: string): Buffer {
  const digest = decodeBase64(value)
  if (digest?.length !== checksumLengths[algorithm]) throw invalidRequest(`Value for ${headerPrefix}${algorithm} header is invalid.`)
  return digest
}

/** Throws BadDigest. */
export function requireDigest(expected: Buffer, computed: Buffer, name: string): void {
  if (expected.equals(computed)) return
  throw new S3Error('BadDigest', { message: `The ${name} you specified did not match the calculated checksum.` })
}

/** Decoded. Throws InvalidDigest. */
export function readContentMd5(headers: Headers): Buffer | undefined {
  const value = headers.get('content-md5')
  if (value === undefined) return undefined
  const digest = decodeBase64(value)
  if (digest?.length !== 16) throw new S3Error('InvalidDigest')
  return digest
}

function findChecksum(headers: Headers, trailers: readonly string[]): ChecksumRequest | undefined {
  const found: ChecksumRequest[] = []
  for (const name of headers.names()) {
    if (!name.startsWith(headerPrefix) || notDigests.has(name.slice(headerPrefix.length))) continue
    found.push({ algorithm: algorithmOf(name), value: headers.get(name) })
  }
  for (const name of trailers) found.push({ algorithm: algorithmOf(name), value: undefined })
  if (found.length > 1) throw invalidRequest('Expecting a single x-amz-checksum- header. Multiple checksum types are not allowed.')
  return found[0]
}

function algorithmOf(name: string): ChecksumAlgorithm {
  const algorithm = name.slice(headerPrefix.length)
  if (isChecksumAlgorithm(algorithm)) return algorithm
  throw invalidRequest(`The algorithm of ${name} is unknown. Please try again with any of the valid types: [${validNames}]`)
}

function requireSdkAlgorithm(requested: string | undefined, checksum: ChecksumRequest | undefined): void {
  if (requested === undefined) return
  if (checksum === undefined) {
    throw invalidRequest(
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    )
  }
  if (requested.toLowerCase() !== checksum.algorithm) throw invalidRequest('Value for x-amz-sdk-checksum-algorithm header is invalid.')
}

/** Node's decoder skips invalid characters; encoding again detects that. */
function decodeBase64(value: string): Buffer | undefined {
  const bytes = Buffer.from(value, 'base64')
  return bytes.toString('base64') === value ? bytes : undefined
}

function invalidRequest(message: string): S3Error {
  return new S3Error('InvalidRequest', { message })
}
