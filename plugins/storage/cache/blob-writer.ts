import type { Probe } from '#kernel'
import { storageErrors } from '../errors.ts'
import type { BlobFolders } from './blob-folders.ts'
import type { BlobRef } from './cache-store.ts'
import { Digests } from './digests.ts'
import { type Disk, isMissing } from './disk.ts'

export interface BodyDigests {
  readonly size: number
  /** Lower-case hex. */
  readonly md5: string
  readonly sha256: string
}

export interface BlobSource {
  /** A chunk must not be changed once it was given. */
  readonly body: AsyncIterable<Uint8Array>
  /** Told the bytes that came so far, before they are written. Throws to refuse the rest. */
  readonly onBytes: (total: number) => void
  /** Told the digests when the body has ended, before anything is made durable. Throws to refuse the body. */
  readonly onEnd: (digests: BodyDigests) => void
  /** Looked at before every chunk; a body that is waited for must end by itself. */
  readonly signal?: AbortSignal | undefined
  readonly probes: BlobProbes
}

export interface BlobProbes {
  readonly created: Probe
  readonly written: Probe
  readonly synced: Probe
  readonly folderSynced: Probe
}

/** Chunks are written together: each write costs a turn of a thread. */
const heldBytesMax = 256 * 1024
const heldChunksMax = 256

export interface WrittenBlob extends BlobRef, BodyDigests {}

/**
 * Writes a body to a new file under its final name and makes both durable. Nothing refers to the file yet: a crash leaves an orphan.
 * Whatever fails, the file is removed; a failed fsync is never repeated, because the kernel forgets the bytes it could not write.
 * Throws `cache_full` when the disk is full, `cache_write_failed` on other faults of the disk, and what the source throws.
 */
export async function writeBlob(disk: Disk, folders: BlobFolders, source: BlobSource): Promise<WrittenBlob> {
  const place = await onDisk(folders.next())
  const descriptor = await onDisk(disk.create(place.path))
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= disk.close(descriptor))
  try {
    await source.probes.created()
    const digests = await pour(disk, descriptor, source)
    await source.probes.written()
    source.onEnd(digests)
    // Both at once: a journaling file system makes them durable in the same turn.
    const naming = faultOf(place.folder.sync())
    await onDisk(disk.syncFile(descriptor))
    await source.probes.synced()
    await Promise.all([settled(naming), onDisk(close())])
    await source.probes.folderSynced()
    return { blobId: place.blobId, epoch: place.epoch, length: digests.size, ...digests }
  } catch (error) {
    // Best effort: what stays behind is an orphan without a row, and the next start sweeps it.
    await Promise.allSettled([close(), disk.unlink(place.path)])
    throw error
  }
}

async function pour(disk: Disk, descriptor: number, { body, onBytes, signal }: BlobSource): Promise<BodyDigests> {
  const digests = new Digests()
  let size = 0
  let written = 0
  let held: Uint8Array[] = []
  // One write at a time runs beside the hashing. It resolves to its fault, so that none goes unhandled while a chunk is waited for.
  let writing: Promise<unknown> | undefined
  const flush = async (): Promise<void> => {
    await settled(writing)
    if (written === size) return
    writing = faultOf(disk.write(descriptor, held, written))
    written = size
    held = []
  }
  try {
    for await (const chunk of body) {
      signal?.throwIfAborted()
      if (chunk.length === 0) continue
      onBytes(size + chunk.length)
      held.push(chunk)
      size += chunk.length
      digests.update(chunk)
      if (size - written >= heldBytesMax || held.length >= heldChunksMax) await flush()
    }
    await flush()
    await settled(writing)
  } finally {
    // The descriptor must not be closed under a running write.
    await writing
  }
  return { size, ...digests.finish() }
}

const faultOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

async function settled(work: Promise<unknown> | undefined): Promise<void> {
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
    return storageErrors.cache_full({ message: 'the disk of the cache is full; free space or lower cache.max_size_gb', cause })
  }
  const hint = isMissing(cause) ? '; is the disk of cache.dir mounted?' : ''
  return storageErrors.cache_write_failed({ message: `the cache could not be written: ${message}${hint}`, cause })
}
