import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Reader } from '#kernel'
import type { Finding } from '#kernel/system'
import { blobPath } from '../cache/blob-folders.ts'
import { isMissing } from '../cache/disk.ts'
import { findRecordedFile, type RecordedFile } from './cache-files-store.ts'
import { fixNames } from './fix-names.ts'

/** Bytes that are hashed in one turn of the event loop. */
const blockBytes = 256 * 1024

/** What is wrong with the name and length of the file. */
export async function lengthProblem(dir: string, { blobId, epoch, length }: RecordedFile): Promise<string | undefined> {
  try {
    const found = (await stat(blobPath(dir, blobId, epoch))).size
    return found === length ? undefined : `has ${found} bytes instead of ${length}`
  } catch (error) {
    if (isMissing(error)) return 'is missing'
    throw error
  }
}

/** What is wrong with the file and its bytes. */
export async function byteProblem(dir: string, file: RecordedFile, signal?: AbortSignal): Promise<string | undefined> {
  const problem = await lengthProblem(dir, file)
  if (problem !== undefined || file.sha256 === null) return problem
  const hash = createHash('sha256')
  const stream = createReadStream(blobPath(dir, file.blobId, file.epoch), { highWaterMark: blockBytes, ...(signal && { signal }) })
  for await (const block of stream) hash.update(block as Uint8Array)
  return hash.digest('hex') === file.sha256 ? undefined : 'has other bytes than were uploaded (SHA-256)'
}

/** The finding for a file with a problem; undefined when its row has gone meanwhile. */
export async function toFileFinding(read: Reader, dir: string, file: RecordedFile, problem: string): Promise<Finding | undefined> {
  // A row is removed before its file.
  const now = await findRecordedFile(read, file.blobId)
  if (now === undefined) return undefined
  const hasCopies = now.readableCopies > 0
  const replace =
    file.contentId === null
      ? 'Send the part of the upload again, or abort the upload: its completion is refused'
      : 'Restore the file from a backup of the cache, or upload the object again: no provider has a copy'
  return {
    severity: hasCopies ? 'warning' : 'error',
    invariant: 'I-01',
    subject: { kind: 'cache file', id: file.blobId, bucket: file.bucket, ...(file.key !== null && { key: file.key }) },
    message: `${blobPath(dir, file.blobId, file.epoch)} ${problem}`,
    repair: hasCopies ? 'Run svc doctor --fix, which removes it from the cache; reads use the copies at providers' : replace,
    ...(hasCopies && { fix: { name: fixNames.forgetFile, target: `${file.contentId}/${file.blobId}` } }),
  }
}
