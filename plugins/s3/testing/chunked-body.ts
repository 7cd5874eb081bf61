/** Builds aws-chunked bodies as clients send them. */
import { createHmac, hash } from 'node:crypto'
import type { ChunkedBodyOptions } from '../auth/chunked-body.ts'
import { signingKey } from '../auth/signing-key.ts'

export const framingKinds = ['signed', 'signed-trailer', 'unsigned-trailer'] as const
type FramingKind = (typeof framingKinds)[number]

export const signedFraming = {
  signing: {
    key: signingKey('a secret of the tests', '20260101', 'us-east-1'),
    amzDate: '20260101T000000Z',
    scope: '20260101/us-east-1/s3/aws4_request',
  },
  seed: '0'.repeat(64),
}

type Framing = typeof signedFraming
type Trailer = Readonly<Record<string, string>>

/** A well-formed body, its decoding options and its trailers. `checksum`: default the SHA-256. */
export function chunkedBody(kind: FramingKind, chunks: readonly Buffer[], framing: Framing = signedFraming, checksum?: Trailer) {
  const content = Buffer.concat(chunks)
  const trailer = kind === 'signed' ? undefined : (checksum ?? { 'x-amz-checksum-sha256': hash('sha256', content, 'base64') })
  const options: ChunkedBodyOptions = {
    decodedLength: content.length,
    ...(trailer && { trailers: Object.keys(trailer) }),
    ...(kind !== 'unsigned-trailer' && { signed: framing }),
  }
  const wire = kind === 'unsigned-trailer' ? unsignedWire(chunks, trailer ?? {}) : signedWire(chunks, trailer, framing)
  return { wire, options, trailers: trailer ?? {} }
}

function unsignedWire(chunks: readonly Buffer[], trailer: Record<string, string>): Buffer {
  const parts = chunks.map((chunk) => Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]))
  const lines = Object.entries(trailer).map(([name, value]) => `${name}:${value}\r\n`)
  return Buffer.concat([...parts, Buffer.from(`0\r\n${lines.join('')}\r\n`)])
}

function signedWire(chunks: readonly Buffer[], trailer: Record<string, string> | undefined, { signing, seed }: Framing): Buffer {
  let previous = seed
  const sign = (kind: string, tail: string) => {
    const text = `${kind}\n${signing.amzDate}\n${signing.scope}\n${previous}\n${tail}`
    previous = createHmac('sha256', signing.key).update(text).digest('hex')
    return previous
  }
  const parts = [...chunks, Buffer.alloc(0)].map((chunk) => {
    const signature = sign('AWS4-HMAC-SHA256-PAYLOAD', `${hash('sha256', '')}\n${hash('sha256', chunk)}`)
    const line = Buffer.from(`${chunk.length.toString(16)};chunk-signature=${signature}\r\n`)
    return chunk.length === 0 ? line : Buffer.concat([line, chunk, Buffer.from('\r\n')])
  })
  if (trailer === undefined) return Buffer.concat([...parts, Buffer.from('\r\n')])
  const lines = Object.entries(trailer).map(([name, value]) => `${name}:${value}\n`)
  const signature = sign('AWS4-HMAC-SHA256-TRAILER', hash('sha256', lines.join('')))
  return Buffer.concat([...parts, Buffer.from(`${lines.join('\r\n')}\r\nx-amz-trailer-signature:${signature}\r\n\r\n`)])
}
