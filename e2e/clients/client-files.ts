import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const KiB = 1024
const MiB = 1024 * KiB

/** Bytes: the allowed minimum, a small object, the size at which clients begin to split uploads, and a large object. */
export const clientSizes = [127, 4 * KiB, 5 * MiB, 200 * MiB]

/** Inclusive byte range that exists in every file. */
export const clientRange = { start: 20, end: 119, header: 'bytes=20-119' }

export interface ClientFile {
  readonly path: string
  readonly size: number
  readonly sha256: string
  /** The bytes of `clientRange`. */
  readonly part: Buffer
}

export function writeClientFiles(dir: string): readonly ClientFile[] {
  const folder = join(dir, 'files')
  mkdirSync(folder)
  return clientSizes.map((size) => {
    const bytes = randomBytes(size)
    const path = join(folder, `size-${size}`)
    writeFileSync(path, bytes)
    const part = Buffer.from(bytes.subarray(clientRange.start, clientRange.end + 1))
    return { path, size, sha256: createHash('sha256').update(bytes).digest('hex'), part }
  })
}

export async function sha256OfStream(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(stream, hash)
  return hash.digest('hex')
}

export const sha256OfFile = (path: string): Promise<string> => sha256OfStream(createReadStream(path))
