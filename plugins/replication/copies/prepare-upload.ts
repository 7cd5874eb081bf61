import { readFile } from 'node:fs'
import { promisify } from 'node:util'
import type { CachedFile } from '#plugins/storage'
import { pieceBytesMin } from '../chain/provider-limits.ts'
import { bytesBody, type UploadBody, UploadSourceDamaged, UploadSourceFailed } from '../chain/upload-body.ts'
import type { CalculatedPiece } from '../pieces/piece-calculation.ts'
import { calculateSmallPiece, smallPieceBytesMax } from '../pieces/small-piece.ts'
import type { Pipeline } from '../pipeline.ts'
import { cachedBody, calculatePiece } from './cached-file.ts'

interface PreparedUpload {
  readonly body: UploadBody
  readonly pieceCid: string
  /** Undefined when the piece CID was known. */
  readonly piece: CalculatedPiece | undefined
}

/** Costs less than the promises of file handles. */
const readWhole = promisify(readFile)

/**
 * The body of an upload, and its piece unless that is known. A small content in one file is read once: its bytes give the piece and the SHA-256, and
 * the same bytes are sent (I-30). A large one is read again by the upload, whose session names the piece CID.
 */
export async function prepareUpload(
  deps: Pipeline,
  { file, pieceCid }: { readonly file: CachedFile; readonly pieceCid: string | null },
  signal: AbortSignal,
): Promise<PreparedUpload> {
  if (pieceCid !== null) return { body: cachedBody(file), pieceCid, piece: undefined }
  const [segment, ...others] = file.segments
  if (!segment || others.length > 0 || file.size > smallPieceBytesMax) {
    const piece = await calculatePiece(deps, file, signal)
    return { body: cachedBody(file), pieceCid: piece.pieceCid, piece }
  }
  const bytes = await readSmall(segment)
  const piece = calculateSmallPiece(bytes, pieceBytesMin)
  if (segment.sha256 !== null && piece.sha256s[0] !== segment.sha256) throw new UploadSourceDamaged(segment.path, segment.sha256)
  return { body: bytesBody(padded(bytes)), pieceCid: piece.pieceCid, piece }
}

/** The network takes no smaller piece. */
function padded(bytes: Buffer): Buffer {
  return bytes.length < pieceBytesMin ? Buffer.concat([bytes], pieceBytesMin) : bytes
}

async function readSmall({ path, size }: CachedFile['segments'][number]): Promise<Buffer> {
  const bytes = await readWhole(path).catch((cause) => {
    throw new UploadSourceFailed(`${path} cannot be read`, { cause })
  })
  if (bytes.length !== size) throw new UploadSourceFailed(`${path} has ${bytes.length} bytes instead of ${size}`)
  return bytes
}
