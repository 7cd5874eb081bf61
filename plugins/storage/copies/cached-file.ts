import { done, fail, type Outcome } from '#kernel'
import { fileBody, type UploadBody, UploadSourceDamaged, UploadSourceFailed } from '../chain/upload-body.ts'
import type { CalculatedPiece } from '../pieces/piece-calculation.ts'
import { PieceCalculationError } from '../pieces/piece-calculation-error.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { copiesOf, findPipelineContent, statesWithBytes } from './copy-store.ts'

/** The cached file of a content. Its bytes are compared with the SHA-256 wherever they are used (I-30). */
export interface CachedFile {
  readonly path: string
  readonly size: number
  /** Lower-case hex; null where it was never recorded. */
  readonly sha256: string | null
  /** Every new put of the same bytes gives the content another one. */
  readonly blobId: string
}

/** The bytes as they are sent to a provider: an upload of wrong ones breaks off before its end (I-30). */
export const cachedBody = ({ path, size, sha256 }: CachedFile): UploadBody => fileBody(path, { size, ...(sha256 !== null && { sha256 }) })

/** The piece of the file, once the same read has shown that its bytes are those of the content (I-30). @throws UploadSourceDamaged */
export async function calculatePiece({ pieces }: Pipeline, file: CachedFile, signal: AbortSignal): Promise<CalculatedPiece> {
  const piece = await pieces.calculate({ path: file.path, length: file.size, signal })
  if (file.sha256 !== null && piece.sha256 !== file.sha256) throw new UploadSourceDamaged(file.path, file.sha256)
  return piece
}

/**
 * What the store task does after a fault of a cached file: goes on where new bytes came in its place or a provider has them, else fails for
 * the operator. A damaged file is forgotten. Other faults are thrown.
 */
export async function settleSourceFault(
  doors: Pipeline,
  { contentId, file }: { readonly contentId: number; readonly file: CachedFile },
  error: unknown,
): Promise<Outcome> {
  if (!(error instanceof UploadSourceFailed || error instanceof PieceCalculationError)) throw error
  if (error instanceof UploadSourceDamaged) await doors.forgetCached(contentId, file)
  const current = await doors.locateCached(contentId)
  if (current?.blobId === file.blobId) throw error
  const isElsewhere = copiesOf(doors.database.read, contentId).some(({ state }) => statesWithBytes.has(state))
  if (current || isElsewhere) return waitFor(doors.clock, 'retry', 0, 'the cached bytes were replaced or removed while they were read')
  return failUnlessDeleted(doors, contentId, {
    code: 'content_damaged',
    message: `${error.message}; no provider has the content; upload the object again`,
  })
}

/** The bytes of a content are nowhere: an operator's entry, unless the content was deleted meanwhile, which takes its file with it. */
export function failUnlessDeleted(
  { database }: Pipeline,
  contentId: number,
  { code, message }: { readonly code: string; readonly message: string },
): Outcome {
  return findPipelineContent(database.read, contentId)?.isLive ? fail(code, message, { retryable: true }) : done()
}
