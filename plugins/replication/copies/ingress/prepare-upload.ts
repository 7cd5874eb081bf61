import { readFile } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { bytesBody, pieceBytesMin, type UploadBody, UploadSourceFailed } from '#plugins/providers'
import type { CachedFile } from '#plugins/storage'
import type { CalculatedPiece } from '../../pieces/piece-calculation.ts'
import { calculateSmallPiece, smallPieceBytesMax } from '../../pieces/small-piece.ts'
import type { Pipeline } from '../../pipeline.ts'
import { cachedBody, compare, type HashedBody, hashedBody, type Segment } from './cached-file.ts'

interface NamedUpload {
  readonly body: UploadBody
  readonly pieceCid: string
  /** Is undefined when the piece CID was known. */
  readonly piece: CalculatedPiece | undefined
}

/** The piece CID is null when it is known only after the upload. */
export type PreparedUpload = NamedUpload | (HashedBody & { readonly pieceCid: null; readonly piece?: undefined })

/** Contents up to this size are held in memory during their upload: 32 MiB for the eight that are stored at the same time. */
export const readOnceBytesMax = 4 * 1024 * 1024

/** Costs less than the promises of file handles. */
const readWhole = promisify(readFile)

/**
 * The body of an upload, and its piece unless that is known. The content is read once: the bytes that give the piece and the SHA-256 are
 * those that are sent (I-30). One file of at most `readOnceBytesMax` is read before the upload, other contents during it.
 */
export async function prepareUpload(
  deps: Pick<Pipeline, 'pieces'>,
  { file, pieceCid }: { readonly file: CachedFile; readonly pieceCid: string | null },
  signal: AbortSignal,
): Promise<PreparedUpload> {
  if (pieceCid !== null) return { body: cachedBody(file), pieceCid, piece: undefined }
  const [segment, ...others] = file.segments
  if (!segment || others.length > 0 || file.size > readOnceBytesMax) return { ...hashedBody(deps, file, signal), pieceCid: null }
  const { bytes, piece } = await readOnce(deps, segment, signal)
  compare(segment, piece.sha256s[0])
  return { body: bytesBody(padded(bytes)), pieceCid: piece.pieceCid, piece }
}

/** The network takes no smaller piece. */
function padded(bytes: Buffer): Buffer {
  return bytes.length < pieceBytesMin ? Buffer.concat([bytes], pieceBytesMin) : bytes
}

interface ReadOnce {
  readonly bytes: Buffer
  readonly piece: CalculatedPiece
}

function readOnce(deps: Pick<Pipeline, 'pieces'>, { path, bytes, size }: Segment, signal: AbortSignal): Promise<ReadOnce> | ReadOnce {
  if (!bytes) return size > smallPieceBytesMax ? readInThread(deps, { path, size }, signal) : readSmall({ path, size })
  const inMemory = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return { bytes: inMemory, piece: calculateSmallPiece(inMemory, pieceBytesMin) }
}

interface LocalFile {
  readonly path: string
  readonly size: number
}

async function readSmall({ path, size }: LocalFile): Promise<ReadOnce> {
  const bytes = await readWhole(path).catch(unreadable(path))
  if (bytes.length !== size) throw wrongLength(path, bytes.length, size)
  return { bytes, piece: calculateSmallPiece(bytes, pieceBytesMin) }
}

/** A hashing thread gets the bytes in shared memory, without a copy. */
async function readInThread({ pieces }: Pick<Pipeline, 'pieces'>, { path, size }: LocalFile, signal: AbortSignal): Promise<ReadOnce> {
  const shared = new Uint8Array(new SharedArrayBuffer(size))
  const length = await readInto(shared, path).catch(unreadable(path))
  if (length !== size) throw wrongLength(path, length, size)
  return { bytes: Buffer.from(shared.buffer), piece: await pieces.calculate({ bytes: shared, signal }) }
}

/** Returns the length of the file, up to that of `into`. */
async function readInto(into: Uint8Array, path: string): Promise<number> {
  await using file = await open(path)
  for (let length = 0; ; ) {
    const { bytesRead } = await file.read(into, length, into.length - length, length)
    length += bytesRead
    if (bytesRead === 0 || length === into.length) return length
  }
}

const unreadable = (path: string) => (cause: unknown) => {
  throw new UploadSourceFailed(`${path} cannot be read`, { cause })
}

const wrongLength = (path: string, length: number, size: number) => new UploadSourceFailed(`${path} has ${length} bytes instead of ${size}`)
