import type { Clock, Database, Probe, Tx } from '#kernel'
import type { MemoryUse } from '#kernel/system'
import { isInDatabase } from '../catalog/cached/cache-bytes-store.ts'
import { type BlobRef, type ExpectedBlob, type FileRef, type StagedBlob, sumCachedBytes } from '../catalog/cached/cache-entry-store.ts'
import type { OpenUncached } from '../contents/byte-sources.ts'
import { forgetLeftovers } from '../contents/forget-leftovers.ts'
import type { CacheGauge, Contents, NeededContent, ObjectVersion, OpenedObject } from '../contract.ts'
import { type BlobReads, createBlobReads } from './blobs/blob-reads.ts'
import { type BlobSource, type WrittenBlob, writeBlob } from './blobs/blob-writer.ts'
import { stageBytes } from './blobs/database-blobs.ts'
import { HotBytes } from './blobs/hot-bytes.ts'
import { linkBlobs, linkFile } from './blobs/link-blobs.ts'
import { AccessLog } from './capacity/access-log.ts'
import { type Evictions, type EvictionTasks, evictContents, finishContent, finishEvictions, resumeEviction } from './capacity/eviction.ts'
import type { EvictionRules } from './capacity/eviction-policy.ts'
import { type CapacityOutcome, createCacheGauge, Evictor } from './capacity/evictor.ts'
import { type ArrivingBody, Capacity, type Reservation } from './capacity/reservation.ts'
import { type BlobVerdict, createDamage, type SettleOptions } from './damage/damage.ts'
import type { Quarantine } from './damage/quarantine.ts'
import { type Sweep, sweepOrphans } from './damage/sweep.ts'
import { BlobFolders } from './files/blob-folders.ts'
import { blobPath } from './files/cache-paths.ts'
import { CacheRoot } from './files/cache-root.ts'
import { type Disk, isMissing, realDisk } from './files/disk.ts'
import type { FillCounts } from './fills/fill.ts'
import { type FillLimits, fillLimits } from './fills/fill-policy.ts'
import { FillRoom } from './fills/fill-room.ts'
import { createFills } from './fills/fills.ts'
import { openTransfers, type TransferOptions } from './transfer/open-transfers.ts'
import type { TransferMemory, Transfers } from './transfer/transfers.ts'
import { RecentVerifications } from './verification/recent-verifications.ts'

interface CacheOptions extends TransferOptions {
  readonly dir: string
  readonly maxBytes: number
  readonly rules: EvictionRules
  readonly tasks: EvictionTasks
  readonly contents: Pick<Contents, 'forgetIfReleased'>
  /** A guard: whether the cached bytes of a content with enough copies may be removed. Default: always. */
  readonly mayRelease?: (tx: Tx, contentId: number) => Promise<boolean>
  /** Whether reads of contents that are not cached fill the cache, under lru. Default: they do not. */
  readonly fillsOnRead?: boolean
  /** The bytes of a lost content are cached again. Default: nothing. */
  readonly onRecovered?: (tx: Tx, content: NeededContent) => Promise<void>
  /** Bodies up to this size are kept in the database instead of in files. Default: none. */
  readonly databaseBytesMax?: number
  /** Overrides for tests. */
  readonly fillLimits?: Partial<FillLimits>
  readonly database: Database
  readonly clock: Clock
  /** Tests pass a disk that fails. */
  readonly disk?: Disk
}

/** Cached bytes on the local disk and, of small contents, in the database. A file is written before its row and removed after it is marked `evicting` (I-03). */
export interface Cache extends CacheGauge, BlobReads, AsyncDisposable {
  /** Reserves space. Throws `cache_full` or `cache_busy`. */
  reserve(bytes: number): Promise<Reservation>
  /** Reserves space for a body as its bytes arrive, see Capacity. */
  reserveArriving(body: ArrivingBody): Promise<Reservation>
  /** Writes a body durably to a file without a row. See writeBlob. */
  write(source: BlobSource): Promise<WrittenBlob>
  /** Largest body for `stage`; 0: none. */
  readonly databaseBytesMax: number
  /** A blob without a file, whose bytes the transaction of its row writes. They must not change before the commit. */
  stage(bytes: Uint8Array): StagedBlob
  /**
   * Opens a content that is not cached from its source. A read of most of it fills the cache, if there is room, for all readers at once.
   * Returns nothing when the content is cached now: look it up again.
   */
  openCold(version: ObjectVersion, contentId: number, openSource: OpenUncached): Promise<OpenedObject | undefined>
  /** Fills since the start. */
  readonly fillCounts: Readonly<FillCounts>
  /**
   * Gives files a second name each, without rows, after comparing their bytes with the SHA-256 (I-30); bytes of the database are copied.
   * Returns nothing when one of them is damaged, has been removed, or cannot be linked. Reserve their bytes before.
   */
  link(blobs: readonly ExpectedBlob[], linked: Probe): Promise<readonly StagedBlob[] | undefined>
  /** Does for one file what `link` does. Returns nothing also when the bytes are in the database. */
  linkFile(blob: ExpectedBlob, linked: Probe): Promise<FileRef | undefined>
  /** Memory by use: `transfers` of bodies and answers, `small_objects` that are read often, and heaps of `hashing_threads`. */
  readonly memory: () => Promise<TransferMemory & { readonly small_objects: MemoryUse }>
  /** Turns the bytes of removed files into free bytes. Call after the commit. */
  release(bytes: number): void
  /** Unlinks files without a row. A failure is logged, and the sweep of the next start removes the file. */
  discard(blobs: readonly BlobRef[]): Promise<void>
  /** Why cached files cannot be written now; undefined when they can. */
  writeProblem(): Promise<string | undefined>
  /** Looks again at a blob of a content that was found missing, damaged or marked: see `createDamage`. */
  settle(contentId: number, blob: Pick<BlobRef, 'blobId'>, options?: SettleOptions): Promise<BlobVerdict>
  /** Files that were removed from the cache after a failed verification. */
  readonly quarantine: Pick<Quarantine, 'restore'>
  /** Records a read. `storedMs`: the access time in the row. */
  touch(contentId: number, storedMs: number): void
  /** Runs one eviction pass: removes releasable bytes according to the policy. */
  reconcileCapacity(signal: AbortSignal): Promise<CapacityOutcome>
  /**
   * Removes the cached bytes of a content if its entry is present and releasable (I-02) and `mayEvict` returns true, both checked in
   * one transaction. Returns the bytes freed; 0 when the entry stays.
   */
  evict(contentId: number, mayEvict?: (tx: Tx) => boolean): Promise<number>
  /**
   * Removes the files of a content whose entry was released, then its row if no keeper holds it. On an error throws, and a task retries;
   * when that cannot be enqueued, the next eviction pass does.
   */
  finishRelease(contentId: number): Promise<void>
  /** Removes the files of an `evicting` entry, unless its bytes are needed again. */
  finishEviction(contentId: number): Promise<void>
  /** Finishes interrupted evictions, deletes the rows of deleted contents that have left the cache, and sweeps orphans of earlier starts. Resolves when done; errors are logged. */
  startUpkeep(): Promise<void>
}

type Upkeep = Sweep & Evictions

/** Memory for small blobs that are read often. */
const hotBytesMax = 32 * 1024 * 1024

/** Opens the cache in `dir`, creating it if needed. Throws when the database records cached files, but not in this folder. */
export async function createCache(options: CacheOptions): Promise<Cache> {
  const { database, clock, log, rules, maxBytes, databaseBytesMax = 0, disk = realDisk, mayRelease = async () => true } = options
  const usedBytes = await sumCachedBytes(database.read)
  const root = await CacheRoot.open({ ...options, disk })
  const { dir, epoch, startMs } = root
  const folders = new BlobFolders({ root, disk, clock })
  const capacity: Capacity = new Capacity(maxBytes, usedBytes, {
    requestEviction: async (bytes) => (await evictor.requestEviction(bytes)) || quarantine.giveWay(),
    onGrowth: (before, after) => evictor.onGrowth(before, after),
  })
  const accessLog = new AccessLog({ database, clock, log })
  const hot = new HotBytes(hotBytesMax)
  const transfers = openTransfers(options)
  const stop = new AbortController()
  const upkeep: Upkeep = { ...options, disk, root, dir, epoch, startMs, capacity, mayRelease, stuck: new Set(), signal: stop.signal }
  const evictor = new Evictor(rules, upkeep, accessLog)
  const fills = openFills(options, { ...upkeep, folders, transfers, evictor, discard: (blobs) => discard(blobs) })
  let upkeepRun: Promise<void> | undefined
  let closing: Promise<void> | undefined

  const reads = createBlobReads({ database, log, root, disk, transfers, hot, verifications: new RecentVerifications() })
  const discard = (blobs: readonly BlobRef[]) => discardBlobs(upkeep, hot, blobs)
  const { settle, quarantine } = createDamage({ ...options, ...upkeep, root, reads, discard })

  async function close(): Promise<void> {
    stop.abort()
    await fills.close()
    await upkeepRun
    await evictor.close()
    await accessLog.close()
    await folders.close()
    await root.close()
    await transfers[Symbol.asyncDispose]()
  }

  return {
    ...createCacheGauge(capacity, evictor),
    ...reads,
    reserve: (bytes) => capacity.reserve(bytes),
    reserveArriving: (body) => capacity.reserveArriving(body),
    write: (source) => writeBlob({ disk, transfers }, folders, source),
    databaseBytesMax,
    stage: (bytes) => stageBytes(bytes, clock.now()),
    openCold: fills.open,
    memory: async () => ({ ...(await transfers.memory()), small_objects: { budgetBytes: hot.bytesMax, usedBytes: hot.usedBytes } }),
    fillCounts: fills.counts,
    link: (blobs, linked) => linkBlobs({ ...upkeep, folders, reads, discard }, blobs, linked),
    linkFile: (blob, linked) => linkFile({ ...upkeep, folders, reads, discard }, blob, linked),
    release: (bytes) => capacity.release(bytes),
    discard,
    writeProblem: () => root.writeProblem(),
    settle,
    quarantine,
    touch: (contentId, storedMs) => accessLog.touch(contentId, storedMs),
    reconcileCapacity: (signal) => quarantine.purge().then(() => evictor.reconcileCapacity(signal)),
    evict: async (contentId, mayEvict) => (await evictContents(upkeep, [contentId], mayEvict)).freedBytes,
    finishRelease: (contentId) => finishRelease(upkeep, evictor, contentId),
    finishEviction: (contentId) => resumeEviction(upkeep, contentId),
    startUpkeep() {
      upkeepRun ??= runUpkeep(upkeep, quarantine)
      return upkeepRun
    },
    // Two services provide this object, and each is disposed.
    [Symbol.asyncDispose]() {
      closing ??= close()
      return closing
    },
  }
}

interface FillParts extends Upkeep {
  readonly folders: BlobFolders
  readonly transfers: Transfers
  readonly evictor: Evictor
  discard(blobs: readonly BlobRef[]): Promise<void>
}

function openFills({ rules, fillsOnRead = false, onRecovered = async () => {}, ...options }: CacheOptions, parts: FillParts) {
  const counts: FillCounts = { started: 0, finished: 0, abandoned: 0, bytes: 0 }
  const limits = { ...fillLimits, ...options.fillLimits }
  const room = new FillRoom({ ...parts, rules, limits })
  const fills = createFills({ ...parts, room, limits, counts, onRecovered })
  const isOn = fillsOnRead && rules.policy === 'lru'
  return {
    counts,
    open: (version: ObjectVersion, contentId: number, openSource: OpenUncached): Promise<OpenedObject | undefined> =>
      isOn ? fills.open(version, contentId, openSource) : openSource(version, contentId),
    close: () => fills[Symbol.asyncDispose](),
  }
}

async function discardBlobs({ disk, dir, log }: Upkeep, hot: HotBytes, blobs: readonly BlobRef[]): Promise<void> {
  for (const blob of blobs) {
    const { blobId, epoch } = blob
    hot.drop(blobId)
    if (isInDatabase(blob)) continue
    try {
      await disk.unlink(blobPath(dir, blobId, epoch))
    } catch (error) {
      // Harmless: the file has no row, and the sweep of the next start removes it.
      if (!isMissing(error)) log.warn('cache file not removed; the next start retries', { blob: blobId, error })
    }
  }
}

async function finishRelease(upkeep: Upkeep, evictor: Evictor, contentId: number): Promise<void> {
  const { database, contents, tasks, log } = upkeep
  try {
    await finishContent(upkeep, contentId)
    await database.write((tx) => contents.forgetIfReleased(tx, contentId))
  } catch (fault) {
    try {
      await database.write((tx) => tasks.finishEviction(tx, contentId))
    } catch (error) {
      evictor.onInterruptedRelease()
      log.warn('retry of a release not enqueued; the next eviction pass retries', { content: contentId, error })
    }
    throw fault
  }
}

async function runUpkeep(upkeep: Upkeep, quarantine: Quarantine): Promise<void> {
  try {
    await finishEvictions(upkeep)
    await forgetLeftovers(upkeep.database, upkeep.contents)
    await sweepOrphans(upkeep)
    await quarantine.sweep()
  } catch (error) {
    // Leftovers only occupy space.
    if (!upkeep.signal.aborted) upkeep.log.warn('cache clean-up failed; the next start retries', { error })
  }
}
