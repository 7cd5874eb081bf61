import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock, Database, Log, Tx } from '#kernel'
import { type BlobRef, knownBlobs } from '../../catalog/cached/cache-entry-store.ts'
import { contentsDamagedBefore, dropDamaged } from '../../catalog/cached/damage-store.ts'
import { placeFill } from '../../catalog/cached/fill-store.ts'
import { findQuarantined, type QuarantinedFile, quarantineDue, removeFromQuarantine } from '../../catalog/cached/quarantine-store.ts'
import { sha256OfContent } from '../../catalog/references/reference-store.ts'
import type { NeededContent } from '../../contract.ts'
import type { BlobReads } from '../blobs/blob-reads.ts'
import type { Capacity } from '../capacity/reservation.ts'
import { blobsPath, startPath } from '../files/cache-paths.ts'
import type { CacheRoot } from '../files/cache-root.ts'
import { type Disk, isMissing } from '../files/disk.ts'
import { syncOnce } from '../files/synced-folder.ts'

export const quarantineFolder = 'quarantine'
/** Part of the capacity of the cache: room for the bytes of clients comes first. */
const quarantineShare = 0.1
/** A removed file, and a damaged one beside readable copies, is kept this long. */
export const quarantineMs = 7 * 24 * 3_600_000
/** Keeps each comparison with the limits short. */
const quarantineFilesMax = 1000
/** Contents of one purge; the next one, a minute later, continues. */
const purgedMax = 100
/** Names that are looked up together. */
const namesPerLookup = 500

export interface QuarantineDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly disk: Disk
  readonly root: CacheRoot
  readonly maxBytes: number
  readonly capacity: Capacity
  readonly reads: Pick<BlobReads, 'pathOf' | 'recheck'>
  discard(blobs: readonly BlobRef[]): Promise<void>
  onRecovered(tx: Tx, content: NeededContent): Promise<void>
  mayRelease(tx: Tx, contentId: number): Promise<boolean>
}

/**
 * Files that were removed from the cache after a failed verification. Their rows are added in the transaction of the removal; the file moves
 * to the folder after it, and until then it is found at its place.
 */
export class Quarantine {
  readonly bytesMax: number
  readonly #deps: QuarantineDeps
  readonly #folder: string

  constructor(deps: QuarantineDeps) {
    this.#deps = deps
    this.bytesMax = Math.floor(deps.maxBytes * quarantineShare)
    this.#folder = join(deps.root.dir, quarantineFolder)
  }

  /** Moves files whose rows were added, and removes what is above the limit. A file that cannot be moved stays at its place. */
  async admit(blobs: readonly BlobRef[]): Promise<void> {
    const { disk, root, reads, log } = this.#deps
    for (const blob of blobs) {
      try {
        await root.require()
        await disk.makeFolder(this.#folder)
        await disk.rename(reads.pathOf(blob), this.#pathOf(blob.blobId))
      } catch (error) {
        log.warn('a file was not moved to the quarantine; it is kept at its place', { blob: blob.blobId, error })
      }
    }
    try {
      await this.purge()
    } catch (error) {
      log.warn('the quarantine was not brought to its limit; the next eviction pass retries', { error })
    }
  }

  /** Removes files above the limit, old ones, those of deleted contents, and old damaged files of contents with a readable copy. */
  async purge(): Promise<void> {
    const { database, clock, capacity, mayRelease, discard } = this.#deps
    const beforeMs = clock.now() - quarantineMs
    await this.#remove(await quarantineDue(database.read, { beforeMs, bytesMax: this.bytesMax, filesMax: quarantineFilesMax }))
    for (const contentId of await contentsDamagedBefore(database.read, { beforeMs, limit: purgedMax })) {
      const discarded = await database.write(async (tx) => {
        if (!(await mayRelease(tx, contentId))) return []
        const { freedBytes, discarded } = await dropDamaged(tx, contentId)
        tx.afterCommit(() => capacity.release(freedBytes))
        return discarded
      })
      await discard(discarded)
    }
  }

  /** An upload needs the room. Returns whether files were removed. */
  async giveWay(): Promise<boolean> {
    return this.#remove(await quarantineDue(this.#deps.database.read, { beforeMs: 0, bytesMax: 0, filesMax: 0 }))
  }

  /** Removes files of the folder without a row, which a crash left. */
  async sweep(): Promise<void> {
    let names: readonly string[] = []
    try {
      names = await readdir(this.#folder)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    for (let from = 0; from < names.length; from += namesPerLookup) {
      const some = names.slice(from, from + namesPerLookup)
      const known = await knownBlobs(this.#deps.database.read, some)
      await this.#unlink(some.filter((name) => !known.has(name)).map((name) => this.#pathOf(name)))
    }
  }

  /** Makes an intact file the cached file of its content again. Returns whether it did. */
  async restore(blobId: string): Promise<boolean> {
    const { database, clock, capacity, reads, onRecovered } = this.#deps
    const file = await findQuarantined(database.read, blobId)
    if (!file?.sha256) return false
    // Its own place first: a move to the quarantine that a crash reverted.
    const isAtPlace = (await reads.recheck(file)).is === 'intact'
    if (!isAtPlace && (await reads.recheck(file, this.#pathOf(blobId))).is !== 'intact') return false
    // The file, then its row (I-03).
    if (!isAtPlace) await this.#moveBack(file)
    const isPlaced = await database.write(async (tx) => {
      const ownSha256 = (await sha256OfContent(tx, file.contentId)) === null ? file.sha256 : null
      const placed = await placeFill(tx, {
        contentId: file.contentId,
        blob: { ...file, blockChecksums: file.blockChecksums ?? undefined, ...(ownSha256 !== null && { ownSha256 }) },
        nowMs: clock.now(),
      })
      if (!placed) return false
      if ((await removeFromQuarantine(tx, [blobId])).length === 0) throw new Error(`file ${blobId} has left the quarantine`)
      if (placed.recovered) await onRecovered(tx, placed.recovered)
      tx.afterCommit(() => capacity.release(file.length - placed.addedBytes))
      return true
    })
    return isPlaced
  }

  async #moveBack(file: QuarantinedFile): Promise<void> {
    const { disk, root, reads } = this.#deps
    const path = reads.pathOf(file)
    const start = startPath(root.dir, file.epoch)
    const folder = dirname(path)
    await root.require()
    // A sweep removes empty folders.
    for (const missing of [start, folder]) await disk.makeFolder(missing)
    await disk.rename(this.#pathOf(file.blobId), path)
    for (const changed of [folder, start, blobsPath(root.dir)]) await syncOnce(disk, changed)
  }

  async #remove(blobIds: readonly string[]): Promise<boolean> {
    if (blobIds.length === 0) return false
    const { database, capacity, reads } = this.#deps
    const removed = await database.write(async (tx) => {
      const files = await removeFromQuarantine(tx, blobIds)
      tx.afterCommit(() => capacity.release(files.reduce((sum, { length }) => sum + length, 0)))
      return files
    })
    await this.#unlink(removed.flatMap((file) => [this.#pathOf(file.blobId), reads.pathOf(file)]))
    return removed.length > 0
  }

  async #unlink(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      try {
        await this.#deps.disk.unlink(path)
      } catch (error) {
        if (!isMissing(error)) this.#deps.log.warn('a file of the quarantine was not removed; the next start retries', { path, error })
      }
    }
  }

  #pathOf(blobId: string): string {
    return join(this.#folder, blobId)
  }
}
