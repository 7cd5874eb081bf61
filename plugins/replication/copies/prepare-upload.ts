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
 * The body of an upload, and its piece unless that is known. A small file is read once: its bytes give the piece and the SHA-256, and
 * the same bytes are sent (I-30). A large one is read again by the upload, whose session names the piece CID.
 */
export async function prepareUpload(
  deps: Pipeline,
  { file, pieceCid }: { readonly file: CachedFile; readonly pieceCid: string | null },
  signal: AbortSignal,
): Promise<PreparedUpload> {
  if (pieceCid !== null) return { body: cachedBody(file), pieceCid, piece: undefined }
  if (file.size < pieceBytesMin || file.size > smallPieceBytesMax) {
    const piece = await calculatePiece(deps, file, signal)
    return { body: cachedBody(file), pieceCid: piece.pieceCid, piece }
  }
  const bytes = await readSmall(file)
  const piece = calculateSmallPiece(bytes)
  if (file.sha256 !== null && piece.sha256 !== file.sha256) throw new UploadSourceDamaged(file.path, file.sha256)
  return { body: bytesBody(bytes), pieceCid: piece.pieceCid, piece }
}

async function readSmall({ path, size }: CachedFile): Promise<Buffer> {
  const bytes = await readWhole(path).catch((cause) => {
    throw new UploadSourceFailed(`${path} cannot be read`, { cause })
  })
  if (bytes.length !== size) throw new UploadSourceFailed(`${path} has ${bytes.length} bytes instead of ${size}`)
  return bytes
}
