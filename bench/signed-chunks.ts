// PUT requests whose bodies are framed in signed chunks (aws-chunked), as most SDKs send them over plain HTTP.
import { hash } from 'node:crypto'
import { type SignedRequestOptions, signedRequest } from '../plugins/s3/testing/signed-request.ts'
import { sign } from '../plugins/s3/testing/signing-key.ts'
import type { S3Credentials } from './bench-server.ts'

const emptySha256 = hash('sha256', '')
const lineEnd = Buffer.from('\r\n')

interface ChunkedObjects {
  readonly user: S3Credentials
  /** All objects end with these bytes, whose chunks are hashed once. */
  readonly tail: Buffer
  readonly stampBytes: number
  readonly chunkBytes: number
}

type Framing = Parameters<NonNullable<SignedRequestOptions['bodyOf']>>[0]

export function createChunkSigner({ user, tail, stampBytes, chunkBytes }: ChunkedObjects) {
  const firstBytes = Math.min(tail.length, chunkBytes - stampBytes)
  const others: { readonly bytes: Buffer; readonly sha256: string }[] = []
  for (let at = firstBytes; at < tail.length; at += chunkBytes) {
    const bytes = tail.subarray(at, at + chunkBytes)
    others.push({ bytes, sha256: hash('sha256', bytes) })
  }

  return (port: number, url: string, stamp: Buffer): Buffer[] => {
    const first = Buffer.concat([stamp, tail.subarray(0, firstBytes)])
    const chunks = [{ bytes: first, sha256: hash('sha256', first) }, ...others, { bytes: Buffer.alloc(0), sha256: emptySha256 }]
    const body: Buffer[] = []
    const unsignedHeaders: Record<string, string> = { 'content-type': 'application/octet-stream' }
    const bodyOf = ({ signing, seed }: Framing): Buffer => {
      let previous = seed
      for (const { bytes, sha256 } of chunks) {
        previous = sign(
          signing.key,
          `AWS4-HMAC-SHA256-PAYLOAD\n${signing.amzDate}\n${signing.scope}\n${previous}\n${emptySha256}\n${sha256}`,
        )
        body.push(Buffer.from(`${bytes.length.toString(16)};chunk-signature=${previous}\r\n`), bytes, lineEnd)
      }
      unsignedHeaders['content-length'] = String(body.reduce((sum, { length }) => sum + length, 0))
      // The body is not copied into the request.
      return Buffer.alloc(0)
    }
    const headers = { 'x-amz-decoded-content-length': String(stampBytes + tail.length) }
    const payload = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
    const { head } = signedRequest(port, { method: 'PUT', url, user, payload, headers, unsignedHeaders, bodyOf })
    return [Buffer.from(head), ...body]
  }
}
