import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { getSystemErrorMessage } from 'node:util'
import type { Reader } from '#kernel'
import type { Finding } from '#kernel/system'
import { readDatabaseBlob } from '../cache/blobs/database-blobs.ts'
import { blobPath } from '../cache/files/cache-paths.ts'
import { isMissing, isPassing } from '../cache/files/disk.ts'
import { isInDatabase } from '../catalog/cached/cache-bytes-store.ts'
import { findRecordedFile, type RecordedFile } from './cache-files-store.ts'
import { fixNames } from './fix-names.ts'
import { mountPointOf } from './mount-point.ts'

/** Bytes that are hashed in one turn of the event loop. */
const blockBytes = 256 * 1024

const missing = 'is missing'

/** What is wrong with the name and length of the file, or the length in the database. */
export async function lengthProblem(dir: string, file: RecordedFile): Promise<string | undefined> {
  const found = isInDatabase(file) ? (file.lengthInDatabase ?? missing) : await lengthOfFile(dir, file)
  if (typeof found === 'string') return found
  return found === file.length ? undefined : `has ${found} bytes instead of ${file.length}`
}

/** The length, or what is wrong. */
async function lengthOfFile(dir: string, { blobId, epoch }: RecordedFile): Promise<number | string> {
  try {
    const found = await stat(blobPath(dir, blobId, epoch))
    return found.isFile() ? found.size : 'is not a file'
  } catch (error) {
    return problemOf(error)
  }
}

/** What an error of the system says about a file or folder. Other errors are thrown again: they say nothing about it. */
export function problemOf(error: unknown): string {
  if (isMissing(error)) return missing
  const { code = '', errno } = error as NodeJS.ErrnoException
  if (errno === undefined || isPassing(error)) throw error
  return `cannot be read (${code}: ${getSystemErrorMessage(errno)})`
}

const otherBytes = 'has other bytes than were uploaded (SHA-256)'

interface CachePlace {
  readonly read: Reader
  readonly dir: string
}

/** What is wrong with the bytes. */
export async function byteProblem({ read, dir }: CachePlace, file: RecordedFile, signal?: AbortSignal): Promise<string | undefined> {
  const problem = await lengthProblem(dir, file)
  if (problem !== undefined || file.sha256 === null) return problem
  if (isInDatabase(file)) return (await readDatabaseBlob(read, file)) === 'damaged' ? otherBytes : undefined
  try {
    return (await sha256Of(blobPath(dir, file.blobId, file.epoch), signal)) === file.sha256 ? undefined : otherBytes
  } catch (error) {
    return problemOf(error)
  }
}

export async function sha256Of(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of createReadStream(path, { highWaterMark: blockBytes, ...(signal && { signal }) }))
    hash.update(block as Uint8Array)
  return hash.digest('hex')
}

/** The finding for a file with a problem; undefined when its row was deleted since. */
export async function toFileFinding(read: Reader, dir: string, file: RecordedFile, problem: string): Promise<Finding | undefined> {
  // A row is removed before its file.
  const now = await findRecordedFile(read, file.blobId)
  if (now === undefined) return undefined
  const hasCopies = now.readableCopies > 0
  return {
    severity: hasCopies ? 'warning' : 'error',
    invariant: 'I-01',
    subject: { kind: 'cache file', id: file.blobId, bucket: file.bucket, ...(file.key !== null && { key: file.key }) },
    message: `${isInDatabase(file) ? `the content in the database with the blob ${file.blobId}` : blobPath(dir, file.blobId, file.epoch)} ${problem}`,
    repair: hasCopies
      ? 'Run svc doctor --fix, which removes it from the cache; reads use the copies at providers'
      : `${replacement(file)}${problem === missing && !isInDatabase(file) ? await adviceBelow(dir) : ''}`,
    ...(hasCopies && { fix: { name: fixNames.forgetFile, target: `${file.contentId}/${file.blobId}` } }),
  }
}

/** Earlier versions wrote files at the path of a disk that was not mounted. */
async function adviceBelow(dir: string): Promise<string> {
  const mountPoint = await mountPointOf(dir)
  if (mountPoint === undefined) return ''
  return `. If svc ever ran while the disk of ${mountPoint} was not mounted, stop svc, unmount the disk and run svc doctor: it finds the files below the mount point`
}

function replacement(file: RecordedFile): string {
  if (file.contentId === null) return 'Send the part of the upload again, or abort the upload: its completion is refused'
  const backup = isInDatabase(file) ? 'Restore a backup of the database' : 'Restore the file from a backup of the cache'
  return `${backup}, or upload the object again: no provider has a copy`
}
