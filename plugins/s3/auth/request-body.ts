/** @walk put 9: checks signatures and digests while the body is read */
import { hash } from 'node:crypto'
import { type BodyDigests, type ChecksumAlgorithm, lentBytesMin, startChecksum } from '#plugins/storage'
import { updating } from '../wire/checksum-algorithms.ts'
import { type BodyChecks, decodeChecksum, readAnnouncedTrailers, readBodyChecks, readContentMd5, requireDigest } from '../wire/checksums.ts'
import type { Headers } from '../wire/headers.ts'
import { S3Error } from '../wire/s3-error.ts'
import type { Authentication, Signer } from './authentication.ts'
import { decodeChunkedBody } from './chunked-body.ts'
import { anonymousPayload, type Payload } from './payload.ts'

/** A request body whose declared length, framing, signatures and digests are verified. */
export interface RequestBody {
  /** Object length in bytes, if the client declared it. */
  readonly declaredLength: number | undefined
  /** Algorithm of the checksum in the headers or trailers, if the client sends one. */
  readonly declaredChecksum: ChecksumAlgorithm | undefined
  /** The object's bytes without framing. May be read once. */
  readonly bytes: AsyncIterable<Buffer>
  /** The reader has to compute it and to give it to `verify`. Only for `BodyOptions.readBy: 'storage'`. */
  readonly checksum: ChecksumAlgorithm | undefined
  /** The object's bytes, when all have arrived already: then `bytes` is not read. Undefined otherwise, and always for a framed body. */
  arrived(): Buffer | undefined
  /** Call it when `bytes` has ended. Throws on a mismatch; returns the checksums to store, base64 by algorithm. */
  verify(digests: BodyDigests): Readonly<Record<string, string>>
}

export interface BodyOptions {
  /** Computed when the client sends no checksum. Default: that of the settings. */
  readonly defaultChecksum?: ChecksumAlgorithm
  /** What x-amz-checksum-* is the checksum of. Default: the body. */
  readonly checksumOf?: 'body' | 'object'
  /**
   * Storage hashes large bodies off the main thread, the checksum too, and each piece is valid only until the next one is requested.
   * Default: another reader, which keeps pieces.
   */
  readonly readBy?: 'storage'
}

export interface BodySource extends Pick<BodyOptions, 'checksumOf' | 'readBy'> {
  /** `lend`: its pieces are valid only until the next one is requested. `arrived`: the whole body, when it is here already. */
  readonly wire: AsyncIterable<Buffer> & { lend?(): void; arrived?(): Buffer | undefined }
  readonly headers: Headers
  /** Is undefined for an anonymous request. */
  readonly authentication: Authentication<Signer> | undefined
  /** Computed when the client sends no checksum; undefined: none. */
  readonly defaultChecksum: ChecksumAlgorithm | undefined
  /** For a body that is only a part of what the headers of the request describe. */
  readonly isOfUnknownLength?: boolean
}

const unsigned: Payload = { kind: 'unsigned' }

/** Does not read the body yet. Throws errors detectable from the headers. */
export async function openRequestBody(source: BodySource): Promise<RequestBody> {
  const { headers, authentication } = source
  // A form is never framed: its fields are the headers.
  const payload = authentication?.payload ?? (source.isOfUnknownLength ? unsigned : anonymousPayload(headers))
  const announced = payload.kind === 'chunked' && payload.trailer ? readAnnouncedTrailers(headers) : []
  const checks = source.checksumOf === 'object' ? { md5: readContentMd5(headers), checksum: undefined } : readBodyChecks(headers, announced)
  const declaredLength = source.isOfUnknownLength ? undefined : readDeclaredLength(headers, payload)
  const algorithm = checks.checksum?.algorithm ?? source.defaultChecksum
  const isLent = source.readBy === 'storage' && (declaredLength === undefined || declaredLength >= lentBytesMin)
  if (isLent) source.wire.lend?.()
  const running = algorithm === undefined || isLent ? undefined : await startChecksum(algorithm)
  const { bytes, trailers } = decode(source, payload, { announced, declaredLength })
  return {
    declaredLength,
    declaredChecksum: checks.checksum?.algorithm,
    bytes: running === undefined ? bytes : updating(bytes, running),
    checksum: isLent ? algorithm : undefined,
    verify(digests) {
      requireLength(declaredLength, digests.size)
      requirePayloadHash(payload, digests.sha256)
      if (checks.md5 !== undefined) requireDigest(checks.md5, Buffer.from(digests.md5, 'hex'), 'Content-MD5')
      if (algorithm === undefined) return {}
      const digest = running?.digest() ?? Buffer.from(digests.checksum ?? '', 'hex')
      requireChecksum(checks, trailers, digest)
      return { [algorithm]: digest.toString('base64') }
    },
    arrived() {
      const whole = payload.kind === 'chunked' ? undefined : source.wire.arrived?.()
      if (whole) running?.update(whole)
      return whole
    },
  }
}

/** Doubled when it is full. */
const firstBufferBytes = 16 * 1024

/** Reads and verifies a small body. Throws MalformedXML above `bytesMax`, and what `onBytes` throws, which is told how many bytes arrived. */
export async function readWholeBody(body: RequestBody, bytesMax: number, onBytes: (count: number) => void): Promise<Buffer> {
  const tooLarge = () =>
    new S3Error('MalformedXML', { message: `The request body is longer than ${bytesMax} bytes.`, closesConnection: true })
  if ((body.declaredLength ?? 0) > bytesMax) throw tooLarge()
  // Copied, because a piece of one byte holds much more memory than that.
  let buffer: Buffer = Buffer.allocUnsafe(Math.min(firstBufferBytes, bytesMax))
  let size = 0
  for await (const piece of body.bytes) {
    const end = size + piece.length
    if (end > bytesMax) throw tooLarge()
    onBytes(piece.length)
    if (end > buffer.length) buffer = enlarged(buffer.subarray(0, size), Math.min(Math.max(end, 2 * buffer.length), bytesMax))
    piece.copy(buffer, size)
    size = end
  }
  const whole = buffer.subarray(0, size)
  body.verify({ size, md5: hash('md5', whole), sha256: hash('sha256', whole) })
  return whole
}

function enlarged(bytes: Buffer, length: number): Buffer {
  const larger = Buffer.allocUnsafe(length)
  bytes.copy(larger)
  return larger
}

function readDeclaredLength(headers: Headers, payload: Payload): number | undefined {
  const isFramed = payload.kind === 'chunked'
  const text = headers.get(isFramed ? 'x-amz-decoded-content-length' : 'content-length')
  if (text !== undefined) {
    const length = /^\d{1,15}$/.test(text) ? Number(text) : undefined
    if (length === undefined)
      throw new S3Error('InvalidArgument', { message: `The declared body length ${text} is not a number of bytes.` })
    return length
  }
  if (isFramed || !headers.has('transfer-encoding')) throw new S3Error('MissingContentLength')
  return undefined
}

interface Framing {
  readonly announced: readonly string[]
  readonly declaredLength: number | undefined
}

const noTrailers: ReadonlyMap<string, string> = new Map()

function decode({ wire, authentication }: BodySource, payload: Payload, { announced, declaredLength }: Framing) {
  if (payload.kind !== 'chunked') return { bytes: wire, trailers: noTrailers }
  return decodeChunkedBody(wire, {
    ...(payload.trailer && { trailers: announced }),
    ...(payload.signed && authentication && { signed: { signing: authentication.signing, seed: authentication.signature } }),
    ...(declaredLength !== undefined && { decodedLength: declaredLength }),
  })
}

function requireLength(declared: number | undefined, received: number): void {
  if (declared === undefined || declared === received) return
  throw new S3Error('IncompleteBody', { message: `The request body has ${received} bytes; its headers declared ${declared}.` })
}

function requirePayloadHash(payload: Payload, computed: string): void {
  if (payload.kind !== 'hashed' || payload.sha256 === computed) return
  throw new S3Error('XAmzContentSHA256Mismatch', {
    extras: { ClientComputedContentSHA256: payload.sha256, S3ComputedContentSHA256: computed },
  })
}

function requireChecksum({ checksum }: BodyChecks, trailers: ReadonlyMap<string, string>, computed: Buffer): void {
  if (checksum === undefined) return
  const name = `x-amz-checksum-${checksum.algorithm}`
  requireDigest(decodeChecksum(checksum.algorithm, checksum.value ?? trailers.get(name) ?? ''), computed, name)
}
