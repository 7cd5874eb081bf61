/** Bodies of piece uploads: known length, and can be opened again for a retry. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { transferBlockBytes } from './provider-limits.ts'

export interface UploadBody {
  /** Number of bytes that `open` yields. */
  readonly size: number
  /** SHA-256 of all bytes in lower-case hex. If the bytes differ, the last block is not sent. */
  readonly sha256?: string
  /** The whole body, when it is in memory. It may be sent again, so its upload may use an idle connection. */
  readonly bytes?: Buffer
  /** All bytes from the first on. A block is valid until the next one is asked for, because its memory may be used again. */
  open(): AsyncIterable<Buffer>
}

/** The local bytes could not be read or hashed, or have another length than announced: not the provider's fault. */
export class UploadSourceFailed extends Error {
  override readonly name = 'UploadSourceFailed'
  readonly code: string = 'upload_source_failed'
}

/** The SHA-256 of the local bytes differs from the recorded one. */
export class UploadSourceDamaged extends UploadSourceFailed {
  override readonly code = 'upload_source_damaged'

  constructor(what: string, sha256: string) {
    super(`${what} is damaged: the SHA-256 of its bytes is not ${sha256}`)
  }
}

/** Bytes `start … start+size−1` of a file, in blocks of 1 MiB. `size` is at least 1. */
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

/** The body with zero bytes after its end, up to `bytesMin`: the network takes no smaller piece. */
export function padBody(body: UploadBody, bytesMin: number): UploadBody {
  const padding = bytesMin - body.size
  if (padding <= 0) return body
  return joinBodies([body, bytesBody(new Uint8Array(padding))])
}

/** Encryption copies what is written at once. */
const memoryBlockBytes = 256 * 1024

function* blocksOf(bytes: Buffer): Generator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += memoryBlockBytes) yield bytes.subarray(start, start + memoryBlockBytes)
}

/** Bytes in memory, such as a small content, or the padding of a piece below the network's minimum size. */
export function bytesBody(bytes: Uint8Array): UploadBody {
  const whole = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)
  return {
    size: whole.length,
    bytes: whole,
    async *open() {
      yield* blocksOf(whole)
    },
  }
}

/**
 * Concatenates bodies, such as the files of an upload in parts.
 * @throws UploadSourceDamaged when the bytes of one do not match its SHA-256
 */
export function joinBodies(bodies: readonly UploadBody[]): UploadBody {
  return {
    size: bodies.reduce((sum, body) => sum + body.size, 0),
    async *open() {
      for (const body of bodies) yield* openVerified(body)
    },
  }
}

/** The blocks of a body. The last one of a body with a SHA-256 follows after its bytes matched. */
const openVerified = (body: UploadBody): AsyncIterable<Buffer> =>
  body.sha256 === undefined ? body.open() : verifiedBlocks(body, body.sha256)

async function* verifiedBlocks(body: UploadBody, sha256: string): AsyncGenerator<Buffer, void, void> {
  const digest = createHash('sha256')
  let passed = 0
  for await (const block of body.open()) {
    passed += block.length
    digest.update(block)
    // I-30: without the last block the body is incomplete, and the provider discards it.
    if (passed >= body.size && digest.digest('hex') !== sha256) throw new UploadSourceDamaged('the source of an upload', sha256)
    yield block
  }
  // The next body must not take the place of missing bytes.
  if (passed < body.size) throw new UploadSourceFailed(`a local file of the piece has ${passed} bytes instead of ${body.size}`)
}

/**
 * Streams a body into a request, block by block: each is written out before the next one is taken, so that its memory can be used again.
 * @param onProgress called after each block with the bytes written so far
 * @throws UploadSourceFailed when the local bytes fail, otherwise the writable's error. Both destroy the writable.
 */
export async function sendBody(body: UploadBody, into: Writable, onProgress: (sentBytes: number) => void): Promise<void> {
  const unlessLost = watchLoss(into)
  const blocks = openVerified(body)[Symbol.asyncIterator]()
  let sent = 0
  try {
    for (;;) {
      const { value: block, done } = await unlessLost(blocks.next().catch((cause) => failSource(cause, into)))
      if (done) break
      sent += block.length
      await unlessLost(write(into, block))
      onProgress(sent)
    }
    // The provider would wait for the announced length.
    if (sent !== body.size) throw new UploadSourceFailed(`the local file of the piece has ${sent} bytes instead of ${body.size}`)
    await unlessLost(end(into))
  } catch (error) {
    into.destroy(error as Error)
    // Not awaited: the disk may hang.
    blocks.return?.().catch(ignoreLate)
    throw error
  }
}

const write = (into: Writable, block: Buffer) =>
  new Promise<void>((resolve, reject) => into.write(block, (error) => (error ? reject(error) : resolve())))

/** The callback of a request has an error when its last bytes were not written. */
const end = (into: Writable) =>
  new Promise<void>((resolve, reject) => into.end((error?: Error | null) => (error ? reject(error) : resolve())))

/**
 * Settles with one work after the other, or rejects when the request fails or is closed. (A race with one promise for all would keep each
 * block until the end.)
 */
function watchLoss(into: Writable): <T>(work: Promise<T>) => Promise<T> {
  let loss: Error | undefined
  let fail: ((loss: Error) => void) | undefined
  const lose = (error: Error) => {
    loss ??= error
    fail?.(loss)
  }
  const closed = () => {
    if (!into.writableFinished) lose(new Error('the connection was closed before the end of the upload'))
  }
  into.once('error', lose).once('close', closed)
  if (into.destroyed) closed()
  return (work) =>
    new Promise((resolve, reject) => {
      fail = reject
      work.then(resolve, reject)
      if (loss) reject(loss)
    })
}

/** An abort ends the source and the request together: then the request is the reason. */
function failSource(cause: unknown, { destroyed }: Writable): never {
  if (destroyed) throw new Error('the connection was closed before the end of the upload', { cause })
  throw cause instanceof UploadSourceFailed ? cause : new UploadSourceFailed('the local bytes of the piece could not be read', { cause })
}

/** The end of the upload was decided before. */
function ignoreLate(): void {}
