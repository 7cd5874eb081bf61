import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Clock, Database, Log, Tx } from '#kernel'
import type { CacheGauge } from '../contract.ts'
import { AccessLog } from './access-log.ts'
import { BlobFolders, blobPath, blobsFolder } from './blob-folders.ts'
import { type BlobReads, createBlobReads } from './blob-reads.ts'
import { type BlobSource, type WrittenBlob, writeBlob } from './blob-writer.ts'
import { type BlobRef, dropDamaged, openEpoch, sumCachedBytes } from './cache-store.ts'
import { DigestThread } from './digest-thread.ts'
import { type Disk, isMissing, realDisk } from './disk.ts'
import { type Evictions, type EvictionTasks, evictContents, finishContent, finishEvictions, finishLate } from './eviction.ts'
import type { EvictionRules } from './eviction-policy.ts'
import { Evictor, type RoomMade } from './evictor.ts'
import { createCacheGauge } from './gauge.ts'
import { HotBytes } from './hot-bytes.ts'
import { RecentProofs } from './recent-proofs.ts'
import { Capacity, type Reservation } from './reservation.ts'
import { type Sweep, sweepOrphans } from './sweep.ts'

export interface CacheOptions {
  readonly dir: string
  readonly maxBytes: number
  readonly rules: EvictionRules
  readonly tasks: EvictionTasks
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Tests give a disk that fails. */
  readonly disk?: Disk
}

/** The bytes on the local disk. Rows name files, never the reverse: a file is written first and removed last (I-03). */
export interface Cache extends CacheGauge, BlobReads, AsyncDisposable {
  /** Sets room aside before a body is read. Throws `cache_full` or `cache_busy`. Absent bytes: the length is unknown. */
  reserve(bytes?: number): Reservation
  /** Writes a body durably to a file that no row names yet. See writeBlob. */
  write(source: BlobSource): Promise<WrittenBlob>
  /** Unlinks files that no row names. What cannot be unlinked is logged and left to the next start's sweep. */
  discard(blobs: readonly BlobRef[]): Promise<void>
  /**
   * The file of a present entry is missing or damaged: forgets the entry and removes the file, so that it is not served again. Returns
   * false, and forgets nothing, when the whole cache cannot be seen: its disk is not mounted then, and the bytes are not lost.
   */
  forget(contentId: number, blob: BlobRef): Promise<boolean>
  /** Notes a read. `storedMs`: the access time in the row. */
  touch(contentId: number, storedMs: number): void
  /** Removes what has to go and may, by the policy. */
  makeRoom(signal: AbortSignal): Promise<RoomMade>
  /**
   * Removes the cached bytes of a content if its entry is present and releasable at that moment (I-02), and `mayEvict` agrees inside
   * the same transaction. Returns the bytes freed, 0 when it stays.
   */
  evict(contentId: number, mayEvict?: (tx: Tx) => boolean): Promise<number>
  /** Removes the files of a content whose entry was released. Returns the bytes freed. What fails is left to a task, and thrown. */
  finishRelease(contentId: number): Promise<number>
  /** Removes the files of an entry that is `evicting`, if it still is and its bytes are not needed again. */
  finishEviction(contentId: number): Promise<void>
  /** Begins to finish evictions and to sweep orphans of earlier starts, in the background. Resolves when that is done. */
  startUpkeep(): Promise<void>
}

type Upkeep = Sweep & Evictions

/** Memory for small blobs that are read again and again. */
const hotBytesMax = 64 * 1024 * 1024

/** Opens the cache in `dir`, making it when it is new. Throws when rows name cached bytes but the folder has none. */
export async function createCache(options: CacheOptions): Promise<Cache> {
  const { database, clock, log, rules, tasks, maxBytes, disk = realDisk } = options
  const dir = resolve(options.dir)
  const usedBytes = sumCachedBytes(database.read)
  requireMounted(dir, usedBytes)
  const epoch = await database.write((tx) => openEpoch(tx, clock.now()))
  const folders = new BlobFolders({ disk, dir, epoch, clock })
  await folders.open()
  const startMs = statSync(folders.rootPath).mtimeMs
  const capacity: Capacity = new Capacity(maxBytes, usedBytes, {
    askForRoom: (bytes) => evictor.askForRoom(bytes),
    noteGrowth: (before, after) => evictor.noteGrowth(before, after),
  })
  const accessLog = new AccessLog({ database, clock, log })
  const hot = new HotBytes(hotBytesMax)
  const digests = new DigestThread(log)
  const proofs = new RecentProofs()
  const stop = new AbortController()
  const upkeep: Upkeep = { database, disk, dir, epoch, startMs, clock, log, capacity, tasks, stuck: new Set(), signal: stop.signal }
  const evictor = new Evictor(rules, upkeep, accessLog)
  let upkeepRun: Promise<void> | undefined
  let closing: Promise<void> | undefined

  const discard = (blobs: readonly BlobRef[]) => discardBlobs(upkeep, hot, blobs)

  async function close(): Promise<void> {
    stop.abort()
    await upkeepRun
    await evictor.close()
    await accessLog.close()
    await folders.close()
    await digests[Symbol.asyncDispose]()
  }

  return {
    ...createCacheGauge(capacity, evictor),
    ...createBlobReads({ dir, disk, digests, hot, proofs }),
    reserve: (bytes) => capacity.reserve(bytes),
    write: (source) => writeBlob(disk, folders, source),
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
    makeRoom: (signal) => evictor.makeRoom(signal),
    evict: (contentId, mayEvict) => evictContents(upkeep, [contentId], mayEvict),
    async finishRelease(contentId) {
      try {
        return await finishContent(upkeep, contentId)
      } catch (error) {
        await database.write((tx) => tasks.finishEviction(tx, contentId))
        throw error
      }
    },
    finishEviction: (contentId) => finishLate(upkeep, contentId),
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

async function discardBlobs({ disk, dir, log }: Upkeep, hot: HotBytes, blobs: readonly BlobRef[]): Promise<void> {
  for (const { blobId, epoch } of blobs) {
    hot.drop(blobId)
    try {
      await disk.unlink(blobPath(dir, blobId, epoch))
    } catch (error) {
      // No row names the file, so nothing is wrong but the room it takes until the sweep of the next start.
      if (!isMissing(error)) log.warn('a file of the cache could not be removed', { blob: blobId, error })
    }
  }
}

async function runUpkeep(upkeep: Upkeep): Promise<void> {
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
