/** @walk put 12: writes the bytes once under their final name while hashing, and fsyncs file and folder; small bodies go with their rows instead */
import { type Probe, SvcError } from '#kernel'
import type { BlobRef } from '../../catalog/cached/cache-entry-store.ts'
import type { BodyDigests } from '../../contract.ts'
import { storageErrors } from '../../errors.ts'
import type { BlobFolders } from '../files/blob-folders.ts'
import { type Disk, isMissing } from '../files/disk.ts'
import type { BodyOptions, Transfers } from '../transfer/transfers.ts'
import type { FileDigests } from '../verification/digests.ts'

export interface BlobSource extends BodyOptions {
  /** May use the memory of a chunk again when the next one is requested, if `size` is unknown or at least `lentBytesMin`. */
  readonly body: AsyncIterable<Uint8Array>
  /** Called with the bytes received so far, before they are written. Throws, or returns a promise that rejects, to refuse the rest. */
  readonly onBytes: (total: number) => Promise<void> | undefined
  /** Called with the digests when the body has ended, before any fsync. Throws to refuse the body. */
  readonly onEnd: (digests: BodyDigests) => void
  /** Checked at every chunk. It does not interrupt the wait for a chunk: the body needs a deadline. */
  readonly signal?: AbortSignal | undefined
  readonly probes: BlobProbes
}

interface BlobWriterDeps {
  readonly disk: Disk
  readonly transfers: Pick<Transfers, 'create'>
}

interface BlobProbes {
  readonly created: Probe
  readonly written: Probe
  readonly synced: Probe
  readonly folderSynced: Probe
}

export interface WrittenBlob extends BlobRef, FileDigests {}

/**
 * Writes a body to a new file under its final name and fsyncs both. No row names the file yet: a crash leaves an orphan.
 * On any error the file is removed. A failed fsync is never repeated, because the kernel drops the pages it could not write.
 * Throws `cache_full` when the disk is full, `cache_unavailable` when it is gone, `cache_write_failed` on other disk errors, and any error of
 * the source.
 */
export async function writeBlob({ disk, transfers }: BlobWriterDeps, folders: BlobFolders, source: BlobSource): Promise<WrittenBlob> {
  const place = await onDisk(folders.next())
  const file = await onDisk(transfers.create(disk, place.path, source).catch((error) => folders.explain(error)))
  try {
    await source.probes.created()
    await eachChunk(source, (chunk) => file.add(chunk))
    const digests = await onDisk(file.finish())
    await source.probes.written()
    source.onEnd(digests)
    // Both at once: a journaling file system can commit them together.
    const folderSync = faultOf(place.folder.sync())
    await onDisk(file.sync())
    await source.probes.synced()
    await Promise.all([throwIfFailed(folderSync), onDisk(file.close()), folders.confirm(place)])
    await source.probes.folderSynced()
    return { blobId: place.blobId, epoch: place.epoch, length: digests.size, ...digests }
  } catch (error) {
    // Best effort: the next start sweeps an orphan that could not be removed.
    await Promise.allSettled([file.close(), disk.unlink(place.path)])
    throw error
  }
}

/** The file system has no further names for the file, or no links: copy its bytes instead. */
const unlinkableCodes: readonly (string | undefined)[] = ['EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV']

/**
 * Gives the durable file of a blob a second name, and fsyncs it: no byte is copied. No row names it yet: a crash leaves an orphan. Undefined
 * when the file has been removed or cannot be linked. Throws `cache_full`, `cache_unavailable` or `cache_write_failed`.
 */
export async function linkBlob(
  disk: Disk,
  folders: BlobFolders,
  { path, length, linked }: { readonly path: string; readonly length: number; readonly linked: Probe },
): Promise<BlobRef | undefined> {
  const place = await onDisk(folders.next())
  try {
    await disk.link(path, place.path)
  } catch (error) {
    if (isMissing(error)) await folders.confirm(place)
    if (isMissing(error) || unlinkableCodes.includes((error as NodeJS.ErrnoException).code)) return undefined
    throw diskError(error)
  }
  try {
    await linked()
    await onDisk(place.folder.sync())
    await folders.confirm(place)
  } catch (error) {
    // Best effort: the next start sweeps an orphan that could not be removed.
    await Promise.allSettled([disk.unlink(place.path)])
    throw error
  }
  return { blobId: place.blobId, epoch: place.epoch, length }
}

async function eachChunk({ body, onBytes, signal }: BlobSource, use: (chunk: Uint8Array) => Promise<void> | undefined): Promise<void> {
  let size = 0
  for await (const chunk of body) {
    signal?.throwIfAborted()
    if (chunk.length === 0) continue
    size += chunk.length
    const check = onBytes(size)
    if (check) await check
    const using = use(chunk)
    if (using) await onDisk(using)
  }
}

const faultOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

async function throwIfFailed(work: Promise<unknown> | undefined): Promise<void> {
  const fault = await work
  if (fault !== undefined) throw diskError(fault)
}

/** Errors of this code are kept. */
async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof SvcError ? error : diskError(error)
  }
}

const fullCodes: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT']

function diskError(cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException
  if (fullCodes.includes(code)) {
    return storageErrors.cache_full({ message: 'the disk of cache.dir is full; free space on it or lower cache.max_size_gb', cause })
  }
  const hint = isMissing(cause) ? '; check that the disk of cache.dir is mounted' : ''
  return storageErrors.cache_write_failed({ message: `writing to the cache failed: ${message}${hint}`, cause })
}
