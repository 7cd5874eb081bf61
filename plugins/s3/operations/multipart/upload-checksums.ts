/** Checksums of uploads: requested at the creation, kept for each part, and calculated for the object from those of the parts. */
import { type ChecksumAlgorithm, startChecksum, type Upload, type UploadPart } from '#plugins/storage'
import { defaultChecksum, type S3Settings } from '../../settings.ts'
import { type CrcAlgorithm, crcAlgorithms, isChecksumAlgorithm } from '../../wire/checksum-algorithms.ts'
import { readChecksumAlgorithm, type readObjectChecksum } from '../../wire/checksums.ts'
import { combineCrcs } from '../../wire/combine-crc.ts'
import type { Headers } from '../../wire/headers.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { type ChecksumType, checksumHeaders } from '../../wire/stored-checksums.ts'

/** Base64 by algorithm. */
type Checksums = Readonly<Record<string, string>>

interface UploadChecksum {
  readonly algorithm: ChecksumAlgorithm
  readonly type: ChecksumType
}

const typeHeader = 'x-amz-checksum-type'
const anyType = ['COMPOSITE', 'FULL_OBJECT'] as const
const composite = ['COMPOSITE'] as const

/** Types of each algorithm; the first one is the default. */
const typesOf: Readonly<Record<ChecksumAlgorithm, readonly ChecksumType[]>> = {
  crc32: anyType,
  crc32c: anyType,
  crc64nvme: ['FULL_OBJECT'],
  // The checksum of the object cannot be calculated from those of the parts.
  sha1: composite,
  sha256: composite,
  sha512: composite,
  md5: composite,
  xxhash64: composite,
  xxhash3: composite,
  xxhash128: composite,
}

/** What x-amz-checksum-algorithm and x-amz-checksum-type request. Throws InvalidRequest. */
export function readUploadChecksum(headers: Headers): UploadChecksum | undefined {
  const algorithm = readChecksumAlgorithm(headers)
  const requested = readType(headers)
  if (algorithm === undefined) {
    if (requested === undefined) return undefined
    throw invalidRequest(`The ${typeHeader} header can only be used with the x-amz-checksum-algorithm header.`)
  }
  const types = typesOf[algorithm]
  const type = requested ?? types[0]
  if (type !== undefined && types.includes(type)) return { algorithm, type }
  throw invalidRequest(`The ${requested} checksum type cannot be used with the ${algorithm} checksum algorithm.`)
}

/** Returns the algorithm of the upload; undefined when none was requested. */
function algorithmOf({ checksumAlgorithm }: Pick<Upload, 'checksumAlgorithm'>): ChecksumAlgorithm | undefined {
  return checksumAlgorithm !== null && isChecksumAlgorithm(checksumAlgorithm) ? checksumAlgorithm : undefined
}

/** Calculated for a part when the client sends no checksum of it. */
export function partAlgorithm(upload: Pick<Upload, 'checksumAlgorithm'>, settings: S3Settings): ChecksumAlgorithm | undefined {
  return algorithmOf(upload) ?? defaultChecksum(settings)
}

/** Throws InvalidRequest when the checksum of a part has another algorithm than the upload. */
export function requirePartAlgorithm(upload: Pick<Upload, 'checksumAlgorithm'>, declared: ChecksumAlgorithm | undefined): void {
  const expected = algorithmOf(upload)
  if (expected === undefined || declared === undefined || declared === expected) return
  throw invalidRequest(`Checksum Type mismatch occurred, expected checksum Type: ${expected}, actual checksum Type: ${declared}`)
}

/** A part has no type. */
export function partChecksumHeaders(checksums: Checksums): Record<string, string> {
  const { [typeHeader]: _, ...headers } = checksumHeaders(checksums)
  return headers
}

/** Throws InvalidRequest when x-amz-checksum-type names another type than that of the upload. */
export function requireUploadType(headers: Headers, { checksumType }: Pick<Upload, 'checksumType'>): void {
  const requested = readType(headers)
  const type = checksumType ?? 'FULL_OBJECT'
  if (requested === undefined || requested === type) return
  throw invalidRequest(`The upload was created using the ${type} checksum mode. The complete request must use the same checksum mode.`)
}

type Checksummed = Pick<UploadPart, 'size' | 'checksums'>

/**
 * Returns those of the object, in the algorithm and type of the upload. When none was requested: the CRC that all parts have. Empty when a part lacks
 * the checksum.
 */
export async function objectChecksums(
  upload: Pick<Upload, 'checksumAlgorithm' | 'checksumType'>,
  parts: readonly Checksummed[],
): Promise<Checksums> {
  const algorithm = algorithmOf(upload) ?? crcAlgorithms.find((crc) => parts.every(({ checksums }) => checksums[crc] !== undefined))
  if (algorithm === undefined) return {}
  const digests = parts.map(({ size, checksums }) => ({ digest: Buffer.from(checksums[algorithm] ?? '', 'base64'), size }))
  if (digests.some(({ digest }) => digest.length === 0)) return {}
  if (upload.checksumType !== 'COMPOSITE' && isCrc(algorithm)) return { [algorithm]: combineCrcs(algorithm, digests).toString('base64') }
  const running = await startChecksum(algorithm)
  for (const { digest } of digests) running.update(digest)
  return { [algorithm]: `${running.digest().toString('base64')}-${parts.length}` }
}

/**
 * Throws InvalidRequest for another algorithm than that of the upload, BadDigest for another value. A composite one may be sent without
 * the number of parts.
 */
export function requireObjectChecksum(expected: ReturnType<typeof readObjectChecksum>, checksums: Checksums): void {
  if (expected === undefined) return
  const { algorithm, value } = expected
  const computed = checksums[algorithm]
  if (computed === undefined) {
    const actual = Object.keys(checksums)[0] ?? 'null'
    throw invalidRequest(`Checksum Type mismatch occurred, expected checksum Type: ${actual}, actual checksum Type: ${algorithm}`)
  }
  if (value === computed || (!value.includes('-') && computed.startsWith(`${value}-`))) return
  throw new S3Error('BadDigest', { message: `The ${algorithm} you specified did not match the calculated checksum.` })
}

const isCrc = (algorithm: ChecksumAlgorithm): algorithm is CrcAlgorithm => crcAlgorithms.some((crc) => crc === algorithm)

function readType(headers: Headers): ChecksumType | undefined {
  const type = headers.get(typeHeader)?.toUpperCase()
  if (type === undefined || type === 'COMPOSITE' || type === 'FULL_OBJECT') return type
  throw invalidRequest(`Value for ${typeHeader} header is invalid.`)
}

function invalidRequest(message: string): S3Error {
  return new S3Error('InvalidRequest', { message })
}
