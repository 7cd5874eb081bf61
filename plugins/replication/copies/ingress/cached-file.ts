import { hash } from 'node:crypto'
import { done, fail, type Outcome } from '#kernel'
import {
  bytesBody,
  fileBody,
  joinBodies,
  padBody,
  pieceBytesMin,
  type UploadBody,
  UploadSourceDamaged,
  UploadSourceFailed,
} from '#plugins/providers'
import type { CachedFile } from '#plugins/storage'
import type { CalculatedPiece } from '../../pieces/piece-calculation.ts'
import { PieceCalculationError } from '../../pieces/piece-calculation-error.ts'
import { calculateSmallPiece } from '../../pieces/small-piece.ts'
import { type Pipeline, waitFor } from '../../pipeline.ts'
import { statesWithBytes } from '../../states/tables/copy-transitions-policy.ts'
import { copiesOf, findPipelineContent } from '../records/copy-store.ts'

/** Upload body, padded with zeros to the smallest piece. It fails before the end of a file whose bytes do not match their SHA-256 (I-30). */
export function cachedBody({ segments }: CachedFile): UploadBody {
  const [first, ...others] = segments.map(segmentBody)
  return padBody(first && others.length === 0 ? first : joinBodies(first ? [first, ...others] : []), pieceBytesMin)
}

export type Segment = CachedFile['segments'][number]

const nameOf = ({ path }: Segment): string => path ?? 'the content in the database'

function segmentBody(segment: Segment): UploadBody {
  const { path, bytes, size, sha256 } = segment
  if (!bytes) return fileBody(path, { size, ...(sha256 !== null && { sha256 }) })
  if (sha256 !== null) compare(segment, hash('sha256', bytes))
  return bytesBody(bytes)
}

export interface HashedBody {
  readonly body: UploadBody
  /** The piece of the bytes that were sent; undefined before the last block. */
  sentPiece(): CalculatedPiece | undefined
}

/** Upload body like `cachedBody`, whose piece is computed while it is sent: the files are read once. It can be opened once. */
export function hashedBody({ pieces }: Pick<Pipeline, 'pieces'>, { segments, size }: CachedFile, signal: AbortSignal): HashedBody {
  let piece: CalculatedPiece | undefined
  async function* open(): AsyncGenerator<Buffer, void, void> {
    let ended = 0
    try {
      for await (const block of pieces.read({ files: filesOf(segments), padTo: pieceBytesMin, signal })) {
        for (const sha256 of block.sha256s) compare(segments[ended++], sha256)
        piece = block.piece
        yield Buffer.from(block.bytes.buffer, block.bytes.byteOffset, block.bytes.length)
      }
    } catch (cause) {
      throw cause instanceof PieceCalculationError ? new UploadSourceFailed(cause.message, { cause }) : cause
    }
  }
  return {
    body: padBody({ size, open }, pieceBytesMin),
    sentPiece: () => piece,
  }
}

/** Computes the piece and the SHA-256 of each file in one read (I-30). @throws UploadSourceDamaged when a SHA-256 is not the recorded one */
export async function calculatePiece(
  deps: Pick<Pipeline, 'pieces'>,
  { segments }: CachedFile,
  signal: AbortSignal,
): Promise<CalculatedPiece> {
  const piece = await pieceOf(deps, segments, signal)
  for (const [at, segment] of segments.entries()) compare(segment, piece.sha256s[at])
  return piece
}

/** @throws UploadSourceDamaged when this is not the recorded SHA-256 of the segment */
export function compare(segment: Segment | undefined, sha256: string | undefined): void {
  if (segment && segment.sha256 !== null && segment.sha256 !== sha256) throw new UploadSourceDamaged(nameOf(segment), segment.sha256)
}

/** Bytes in memory are all of a small content. */
function pieceOf(
  { pieces }: Pick<Pipeline, 'pieces'>,
  segments: readonly Segment[],
  signal: AbortSignal,
): Promise<CalculatedPiece> | CalculatedPiece {
  const [inMemory] = segments.flatMap(({ bytes }) => bytes ?? [])
  if (inMemory) return calculateSmallPiece(inMemory, pieceBytesMin)
  return pieces.calculate({ files: filesOf(segments), padTo: pieceBytesMin, signal })
}

const filesOf = (segments: readonly Segment[]) => segments.flatMap(({ path, size }) => (path === undefined ? [] : [{ path, length: size }]))

/**
 * Outcome of the store task after a fault of the cached file: retries when the file was replaced or a provider has the bytes, else fails
 * for the operator. Rethrows other errors, and that of a file whose disk has the right bytes.
 */
export async function settleSourceFault(
  deps: Pick<Pipeline, 'database' | 'clock' | 'cached'>,
  { contentId, file }: { readonly contentId: number; readonly file: CachedFile },
  error: unknown,
): Promise<Outcome> {
  if (!(error instanceof UploadSourceFailed || error instanceof PieceCalculationError)) throw error
  if (error instanceof UploadSourceDamaged) await deps.cached.settle(contentId)
  const current = await deps.cached.locate(contentId)
  if (current?.blobId === file.blobId) throw error
  const isElsewhere = (await copiesOf(deps.database.read, contentId)).some(({ state }) => statesWithBytes.has(state))
  if (current || isElsewhere) return waitFor(deps.clock, 'retry', 0, 'the cached bytes were replaced or removed while they were read')
  return await failUnlessDeleted(deps, contentId, {
    code: 'content_damaged',
    message: `${error.message}; no provider has the content; the file is kept: restore it from a backup, or upload the object again`,
  })
}

/** The bytes are neither cached nor at a provider: fails for the operator, unless the content was deleted. */
export async function failUnlessDeleted(
  { database }: Pick<Pipeline, 'database'>,
  contentId: number,
  { code, message }: { readonly code: string; readonly message: string },
): Promise<Outcome> {
  return (await findPipelineContent(database.read, contentId))?.isLive ? fail(code, message, { retryable: true }) : done()
}
