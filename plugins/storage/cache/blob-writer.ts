import type { Probe } from '#kernel'
import type { BlobRef } from '../catalog/cache-entry-store.ts'
import { storageErrors } from '../errors.ts'
import type { BlobFolders } from './blob-folders.ts'
import { Digests } from './digests.ts'
import { type Disk, isMissing } from './disk.ts'

interface BodyDigests {
  readonly size: number
  /** Lower-case hex. */
  readonly md5: string
  readonly sha256: string
}

export interface BlobSource {
  /** The source must not change a chunk after yielding it. */
  readonly body: AsyncIterable<Uint8Array>
  /** Called with the bytes received so far, before they are written. Throws, or returns a promise that rejects, to refuse the rest. */
  readonly onBytes: (total: number) => Promise<void> | undefined
  /** Called with the digests when the body has ended, before any fsync. Throws to refuse the body. */
  readonly onEnd: (digests: BodyDigests) => void
  /** Checked at every chunk. It does not interrupt the wait for a chunk: the body needs a deadline. */
  readonly signal?: AbortSignal | undefined
  readonly probes: BlobProbes
}

interface BlobProbes {
  readonly created: Probe
  readonly written: Probe
  readonly synced: Probe
  readonly folderSynced: Probe
}

/** Chunks are buffered and written together: each write occupies a thread of the pool. */
const bufferedBytesMax = 256 * 1024
const bufferedChunksMax = 256

export interface WrittenBlob extends BlobRef, BodyDigests {}

/**
 * Writes a body to a new file under its final name and fsyncs both. No row names the file yet: a crash leaves an orphan.
 * On any error the file is removed. A failed fsync is never repeated, because the kernel drops the pages it could not write.
 * Throws `cache_full` when the disk is full, `cache_write_failed` on other disk errors, and any error of the source.
 */
export async function writeBlob(disk: Disk, folders: BlobFolders, source: BlobSource): Promise<WrittenBlob> {
  const place = await onDisk(folders.next())
  const descriptor = await onDisk(disk.create(place.path))
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= disk.close(descriptor))
  try {
    await source.probes.created()
    const digests = await writeBody(disk, descriptor, source)
    await source.probes.written()
    source.onEnd(digests)
    // Both at once: a journaling file system can commit them together.
    const folderSync = faultOf(place.folder.sync())
    await onDisk(disk.syncFile(descriptor))
    await source.probes.synced()
    await Promise.all([throwIfFailed(folderSync), onDisk(close())])
    await source.probes.folderSynced()
    return { blobId: place.blobId, epoch: place.epoch, length: digests.size, ...digests }
  } catch (error) {
    // Best effort: the next start sweeps an orphan that could not be removed.
    await Promise.allSettled([close(), disk.unlink(place.path)])
    throw error
  }
}

/** The file system has no further names for the file, or no links: copy its bytes instead. */
const unlinkableCodes: readonly (string | undefined)[] = ['EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV']

/**
 * Gives the durable file of a blob a second name, and fsyncs it: no byte is copied. No row names it yet: a crash leaves an orphan. Undefined
 * when the file was removed meanwhile or cannot be linked. Throws `cache_full` or `cache_write_failed`.
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
    if (isMissing(error) || unlinkableCodes.includes((error as NodeJS.ErrnoException).code)) return undefined
    throw diskError(error)
  }
  try {
    await linked()
    await onDisk(place.folder.sync())
  } catch (error) {
    // Best effort: the next start sweeps an orphan that could not be removed.
    await Promise.allSettled([disk.unlink(place.path)])
    throw error
  }
  return { blobId: place.blobId, epoch: place.epoch, length }
}

async function writeBody(disk: Disk, descriptor: number, { body, onBytes, signal }: BlobSource): Promise<BodyDigests> {
  const digests = new Digests()
  let size = 0
  let written = 0
  let buffered: Uint8Array[] = []
  // One write at a time runs in parallel with the hashing. It resolves to its error, which would else be unhandled during the wait for a chunk.
  let writing: Promise<unknown> | undefined
  const flush = async (): Promise<void> => {
    await throwIfFailed(writing)
    if (written === size) return
    writing = faultOf(disk.write(descriptor, buffered, written))
    written = size
    buffered = []
  }
  try {
    for await (const chunk of body) {
      signal?.throwIfAborted()
      if (chunk.length === 0) continue
      const check = onBytes(size + chunk.length)
      if (check) await check
      buffered.push(chunk)
      size += chunk.length
      digests.update(chunk)
      if (size - written >= bufferedBytesMax || buffered.length >= bufferedChunksMax) await flush()
    }
    await flush()
    await throwIfFailed(writing)
  } finally {
    // The descriptor must stay open during the write.
    await writing
  }
  return { size, ...digests.finish() }
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

async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw diskError(error)
  }
}

const fullCodes: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT']

function diskError(cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException
  if (fullCodes.includes(code)) {
    return storageErrors.cache_full({ message: 'the cache disk is full; free space on it or lower cache.max_size_gb', cause })
  }
  const hint = isMissing(cause) ? '; check that the disk of cache.dir is mounted' : ''
  return storageErrors.cache_write_failed({ message: `writing to the cache failed: ${message}${hint}`, cause })
}
