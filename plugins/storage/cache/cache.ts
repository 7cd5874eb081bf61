import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Clock, Database, Log, Tx } from '#kernel'
import type { CacheGauge, CacheStats } from '../contract.ts'
import { AccessLog } from './access-log.ts'
import { BlobFolders, blobPath, blobsFolder } from './blob-folders.ts'
import { type OpenBlob, openBlob, openHotBlob } from './blob-reader.ts'
import { type BlobSource, type WrittenBlob, writeBlob } from './blob-writer.ts'
import { type BlobRef, dropDamaged, hasEvictable, openEpoch, sumCachedBytes } from './cache-store.ts'
import { type Disk, isMissing, realDisk } from './disk.ts'
import { evictContent, finishContent, finishEvictions } from './eviction.ts'
import { createCacheGauge } from './gauge.ts'
import { HotBytes } from './hot-bytes.ts'
import { Capacity, type Reservation } from './reservation.ts'
import { sweepOrphans } from './sweep.ts'

export interface CacheOptions {
  readonly dir: string
  readonly maxBytes: number
  readonly policy: CacheStats['evictionPolicy']
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Tests give a disk that fails. */
  readonly disk?: Disk
}

/** The bytes on the local disk. Rows name files, never the reverse: a file is written first and removed last (I-03). */
export interface Cache extends CacheGauge, AsyncDisposable {
  /** Sets room aside before a body is read. Throws `cache_full` or `cache_busy`. Absent bytes: the length is unknown. */
  reserve(bytes?: number): Reservation
  /** Writes a body durably to a file that no row names yet. See writeBlob. */
  write(source: BlobSource): Promise<WrittenBlob>
  /** Is the file there with the recorded length? */
  isIntact(blob: BlobRef): Promise<boolean>
  open(blob: BlobRef): Promise<OpenBlob>
  pathOf(blob: BlobRef): string
  /** Unlinks files that no row names. What cannot be unlinked is logged and left to the next start's sweep. */
  discard(blobs: readonly BlobRef[]): Promise<void>
  /**
   * The file of a present entry is missing or damaged: forgets the entry, so that it is not served again. Returns false, and forgets
   * nothing, when the whole cache cannot be seen: its disk is not mounted then, and the bytes are not lost.
   */
  forget(contentId: number, blob: BlobRef): Promise<boolean>
  /** Notes a read. `storedMs`: the access time in the row. */
  touch(contentId: number, storedMs: number): void
  /** Last known time of access that may not be in the row yet. */
  lastAccessMs(contentId: number): number | undefined
  /**
   * Removes the cached bytes of a content if its entry is present and releasable at that moment (I-02), and `mayEvict` agrees inside
   * the same transaction. Returns the bytes freed, 0 when it stays.
   */
  evict(contentId: number, mayEvict?: (tx: Tx) => boolean): Promise<number>
  /** Removes the files of a content whose entry was released. Returns the bytes freed. What fails is done at the next start. */
  finishRelease(contentId: number): Promise<number>
  /** Begins to finish evictions and to sweep orphans of earlier starts, in the background. Resolves when that is done. */
  startUpkeep(): Promise<void>
}

/** Memory for small blobs that are read again and again. */
const hotBytesMax = 64 * 1024 * 1024

/** Opens the cache in `dir`, making it when it is new. Throws when rows name cached bytes but the folder has none. */
export async function createCache(options: CacheOptions): Promise<Cache> {
  const { database, clock, log, policy, maxBytes, disk = realDisk } = options
  const dir = resolve(options.dir)
  const usedBytes = sumCachedBytes(database.read)
  requireMounted(dir, usedBytes)
  const epoch = await database.write((tx) => openEpoch(tx, clock.now()))
  const folders = new BlobFolders({ disk, dir, epoch, clock })
  await folders.open()
  const capacity = new Capacity(maxBytes, usedBytes, () => policy !== 'none' && hasEvictable(database.read))
  const accessLog = new AccessLog({ database, clock, log })
  const hot = new HotBytes(hotBytesMax)
  const stop = new AbortController()
  const upkeep = { database, disk, dir, epoch, clock, log, capacity, signal: stop.signal }
  let upkeepRun: Promise<void> | undefined
  let closing: Promise<void> | undefined

  async function discard(blobs: readonly BlobRef[]): Promise<void> {
    for (const { blobId, epoch: blobEpoch } of blobs) {
      hot.drop(blobId)
      try {
        await disk.unlink(blobPath(dir, blobId, blobEpoch))
      } catch (error) {
        // No row names the file, so nothing is wrong but the room it takes until the sweep of the next start.
        if (!isMissing(error)) log.warn('a file of the cache could not be removed', { blob: blobId, error })
      }
    }
  }

  async function close(): Promise<void> {
    stop.abort()
    await upkeepRun
    await accessLog.close()
    await folders.close()
  }

  return {
    ...createCacheGauge(capacity, policy),
    reserve: (bytes) => capacity.reserve(bytes),
    write: (source) => writeBlob(disk, folders, source),
    open: (blob) => openHotBlob(disk, blobPath(dir, blob.blobId, blob.epoch), { blob, hot }),
    async isIntact(blob) {
      const opened = await openBlob(disk, blobPath(dir, blob.blobId, blob.epoch), blob)
      if (opened.is !== 'open') return false
      await opened.blob[Symbol.asyncDispose]()
      return true
    },
    pathOf: (blob) => blobPath(dir, blob.blobId, blob.epoch),
    discard,
    async forget(contentId, blob) {
      if (!existsSync(folders.rootPath)) return false
      const freed = await database.write((tx) => dropDamaged(tx, contentId, blob.blobId))
      capacity.release(freed)
      if (freed > 0) {
        log.error('a cached file is missing or damaged and is not served any more', { content: contentId, blob: blob.blobId })
        await discard([blob])
      }
      return true
    },
    touch: (contentId, storedMs) => accessLog.touch(contentId, storedMs),
    lastAccessMs: (contentId) => accessLog.lastAccessMs(contentId),
    evict: (contentId, mayEvict) => evictContent(upkeep, contentId, mayEvict),
    finishRelease: (contentId) => finishContent(upkeep, contentId),
    startUpkeep() {
      upkeepRun ??= runUpkeep(upkeep)
      return upkeepRun
    },
    // More than one service may be this cache, and each is disposed.
    [Symbol.asyncDispose]() {
      closing ??= close()
      return closing
    },
  }
}

async function runUpkeep(upkeep: Parameters<typeof sweepOrphans>[0] & Parameters<typeof finishEvictions>[0]): Promise<void> {
  try {
    await finishEvictions(upkeep)
    await sweepOrphans(upkeep)
  } catch (error) {
    // What is left over takes room and nothing else; the next start begins again.
    if (!upkeep.signal.aborted) upkeep.log.warn('the clean-up of the cache after the start did not finish', { error })
  }
}

function requireMounted(dir: string, usedBytes: number): void {
  const folder = join(dir, blobsFolder)
  if (usedBytes === 0 || existsSync(folder)) return
  throw new Error(
    `cache.dir ${dir} is empty, but ${usedBytes} bytes are recorded in it; mount its disk, or make the folder ${folder} to go on without them`,
  )
}
