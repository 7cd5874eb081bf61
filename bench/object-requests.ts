// Object requests, signed and serialized before the timing starts. All servers get the same requests; only the gateway checks the signature.
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { signedRequest } from '../plugins/s3/testing/signed-request.ts'
import type { S3Credentials } from './bench-server.ts'
import type { PreparedRequest } from './raw-connection.ts'
import { createChunkSigner } from './signed-chunks.ts'

const stampBytes = 16
/** Up to this size a request is one buffer, sent in one write. */
const joinedBytesMax = 64 * 1024

interface PreparedRange {
  readonly get: PreparedRequest
  /** Digest of the bytes of the range, in lower-case hex. */
  readonly sha256: string
}

interface PreparedObject {
  readonly key: string
  readonly put: PreparedRequest
  readonly get: PreparedRequest
  readonly head: PreparedRequest
  /** Lower-case hex. */
  readonly sha256: string
}

export interface ObjectRequests {
  readonly objectBytes: number
  /** Ranges of `bytes` bytes at random places after the first bytes of an object. */
  ranges(port: number, key: string, wanted: { readonly bytes: number; readonly count: number }): PreparedRange[]
  /** `count` objects with new keys and new contents, because a PUT of a known content costs less. */
  prepare(port: number, count: number): PreparedObject[]
}

export function createObjectRequests({
  objectBytes,
  bucket,
  user,
  chunkBytes,
}: {
  readonly objectBytes: number
  /** Bodies are framed in signed chunks of this size. Default: not framed. */
  readonly chunkBytes?: number | undefined
  readonly bucket: string
  readonly user: S3Credentials
}): ObjectRequests {
  const tail = randomBytes(objectBytes - stampBytes)
  const signChunks = chunkBytes === undefined ? undefined : createChunkSigner({ user, tail, stampBytes, chunkBytes })
  const plainPut = (port: number, url: string, { stamp, sha256 }: { readonly stamp: Buffer; readonly sha256: string }): Buffer[] => {
    const unsignedHeaders = { 'content-length': String(objectBytes), 'content-type': 'application/octet-stream' }
    return [Buffer.from(signedRequest(port, { method: 'PUT', url, user, payload: sha256, unsignedHeaders }).head), stamp, tail]
  }
  const prepareOne = (port: number): PreparedObject => {
    const stamp = randomBytes(stampBytes)
    const url = `/${bucket}/${stamp.toString('hex')}`
    const sha256 = createHash('sha256').update(stamp).update(tail).digest('hex')
    const put = signChunks ? signChunks(port, url, stamp) : plainPut(port, url, { stamp, sha256 })
    return {
      key: url,
      put: objectBytes <= joinedBytesMax ? [Buffer.concat(put)] : put,
      get: [Buffer.from(signedRequest(port, { method: 'GET', url, user }).head)],
      head: [Buffer.from(signedRequest(port, { method: 'HEAD', url, user }).head)],
      sha256,
    }
  }
  const prepareRange = (port: number, url: string, bytes: number): PreparedRange => {
    const start = stampBytes + randomInt(objectBytes - stampBytes - bytes + 1)
    const unsignedHeaders = { range: `bytes=${start}-${start + bytes - 1}` }
    return {
      get: [Buffer.from(signedRequest(port, { method: 'GET', url, user, unsignedHeaders }).head)],
      sha256: createHash('sha256')
        .update(tail.subarray(start - stampBytes, start - stampBytes + bytes))
        .digest('hex'),
    }
  }
  return {
    objectBytes,
    ranges: (port, key, { bytes, count }) => Array.from({ length: count }, () => prepareRange(port, key, bytes)),
    prepare: (port, count) => Array.from({ length: count }, () => prepareOne(port)),
  }
}
