/** What is uploaded as a piece: a length that is known, and bytes that can be opened again for a second try. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { transferBlockBytes } from './provider-limits.ts'

export interface UploadBody {
  /** Exactly as many bytes as `open` yields. */
  readonly size: number
  /** Of all bytes, in lower-case hex: other bytes are not sent to their end. */
  readonly sha256?: string
  /** A new stream from the first byte. */
  open(): Readable
}

/** The local bytes could not be read, or are not as many as announced. The provider is not to blame. */
export class UploadSourceFailed extends Error {
  override readonly name = 'UploadSourceFailed'
  readonly code: string = 'upload_source_failed'
}

/** The local bytes are not those that were recorded. */
export class UploadSourceDamaged extends UploadSourceFailed {
  override readonly code = 'upload_source_damaged'

  constructor(what: string, sha256: string) {
    super(`${what} is damaged: the SHA-256 of its bytes is not ${sha256}`)
  }
}

/** Bytes `start … start+size−1` of a file, read in blocks of 1 MiB. `size` is at least 1. */
export function fileBody(
  path: string,
  { start = 0, size, sha256 }: { readonly start?: number; readonly size: number; readonly sha256?: string },
): UploadBody {
  return {
    size,
    ...(sha256 !== undefined && { sha256 }),
    open: () => createReadStream(path, { start, end: start + size - 1, highWaterMark: transferBlockBytes }),
  }
}

/** Bytes held in memory, such as the padding of a piece that is shorter than the network's minimum. */
export function bytesBody(bytes: Uint8Array): UploadBody {
  return { size: bytes.length, open: () => Readable.from([Buffer.from(bytes)], { objectMode: false }) }
}

/** Several bodies one after the other, such as the parts of a multipart object. */
export function joinBodies(bodies: readonly UploadBody[]): UploadBody {
  const concatenated = async function* () {
    for (const body of bodies) yield* body.open()
  }
  return {
    size: bodies.reduce((sum, body) => sum + body.size, 0),
    open: () => Readable.from(concatenated(), { objectMode: false, highWaterMark: transferBlockBytes }),
  }
}

/**
 * Streams a body into a request, counting.
 * @param onProgress told the bytes handed over so far, after each block
 * @throws UploadSourceFailed when the local bytes fail; the writable's own error otherwise. Both destroy the writable.
 */
export async function sendBody(body: UploadBody, into: Writable, onProgress: (sentBytes: number) => void): Promise<void> {
  let sent = 0
  const digest = body.sha256 === undefined ? undefined : createHash('sha256')
  let sourceFailure: UploadSourceFailed | undefined
  const source = body.open()
  source.once('error', (cause) => {
    // A broken request destroys the source with its own error: that one is not ours.
    if (!into.destroyed) sourceFailure ??= new UploadSourceFailed('The local bytes of the piece could not be read.', { cause })
  })
  const meter = new Transform({
    highWaterMark: transferBlockBytes,
    transform(block: Buffer, _encoding, done) {
      sent += block.length
      digest?.update(block)
      // I-30: without its last block the provider has no complete body, and drops what came.
      if (sent >= body.size && digest && digest.digest('hex') !== body.sha256) {
        sourceFailure ??= new UploadSourceDamaged('the source of an upload', body.sha256 ?? '')
        return done(sourceFailure)
      }
      onProgress(sent)
      done(null, block)
    },
    flush(done) {
      // A short body would leave the provider waiting for the announced length.
      if (sent !== body.size) sourceFailure ??= new UploadSourceFailed(`The piece has ${sent} local bytes instead of ${body.size}.`)
      done(sourceFailure ?? null)
    },
  })
  try {
    await pipeline(source, meter, into)
  } catch (error) {
    throw sourceFailure ?? error
  }
}
