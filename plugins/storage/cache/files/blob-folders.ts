import { randomBytes } from 'node:crypto'
import type { Clock } from '#kernel'
import { storageErrors } from '../../errors.ts'
import type { CacheRoot, StartFolder } from './cache-root.ts'
import type { Disk } from './disk.ts'
import { SyncedFolder, syncOnce } from './synced-folder.ts'

interface OpenFolder {
  readonly folder: SyncedFolder
  /** Start in which it was opened. */
  readonly start: StartFolder
}

interface BlobPlace extends OpenFolder {
  readonly blobId: string
  readonly epoch: number
  readonly path: string
}

/** Files put into one folder before the next is used: concurrent writes share the folder and its fsync. */
const filesPerTurn = 1024
const foldersMax = 256
const retryAfterSeconds = 10

/** Allocates paths for new blobs of this start. Every folder is durable before a file is put into it. */
export class BlobFolders {
  readonly #root: CacheRoot
  readonly #disk: Disk
  readonly #clock: Clock
  readonly #folders = new Map<number, Promise<OpenFolder>>()
  #turn = 0

  constructor({ root, disk, clock }: { readonly root: CacheRoot; readonly disk: Disk; readonly clock: Clock }) {
    this.#root = root
    this.#disk = disk
    this.#clock = clock
  }

  /** Throws `cache_unavailable` when the disk was found to be gone and is not back. */
  async next(): Promise<BlobPlace> {
    if (this.#root.isLost) await this.#root.require()
    const shard = this.#shard()
    this.#turn += 1
    const open = await this.#folder(shard)
    // Made in advance, so that no put waits for it.
    const following = (shard + 1) % foldersMax
    if (!this.#folders.has(following)) void this.#make(following)
    const blobId = newBlobId(this.#clock.now(), shard)
    return { ...open, blobId, epoch: this.#root.epoch, path: `${open.folder.path}/${blobId}` }
  }

  /** I-38: throws unless the path of a new file is still on the disk whose folder was opened, so that this folder has the name. */
  async confirm({ start }: BlobPlace): Promise<void> {
    if ((await this.#root.require()) === start) return
    throw storageErrors.cache_unavailable({ message: 'the disk of cache.dir was mounted again during the write', retryAfterSeconds })
  }

  /** The error of a disk that is gone, or else the given one. */
  async explain(error: unknown): Promise<never> {
    await this.#root.require()
    throw error
  }

  async close(): Promise<void> {
    const folders = await Promise.allSettled(this.#folders.values())
    this.#folders.clear()
    for (const folder of folders) if (folder.status === 'fulfilled') await folder.value.folder.close()
  }

  #shard(): number {
    return Math.floor(this.#turn / filesPerTurn) % foldersMax
  }

  async #folder(shard: number): Promise<OpenFolder> {
    const opening = this.#folders.get(shard) ?? this.#make(shard)
    const open = await opening
    const { folder, start } = open
    if (!folder.hasFailed && start === this.#root.start) return open
    // New files need a new descriptor. The writes that shared the failed fsync were all rejected.
    if (this.#folders.get(shard) === opening) {
      this.#folders.delete(shard)
      await folder.close()
    }
    return this.#folder(shard)
  }

  #make(shard: number): Promise<OpenFolder> {
    const making = this.#makeDurable(`${this.#root.startPath}/${hexByte(shard)}`)
    this.#folders.set(shard, making)
    making.catch(() => {
      // Waiting callers get the error. Later ones get another folder: a second fsync would not report that this name was lost.
      this.#folders.delete(shard)
      if (this.#shard() === shard) this.#turn += filesPerTurn
    })
    return making
  }

  async #makeDurable(path: string): Promise<OpenFolder> {
    const start = await this.#root.require()
    await this.#disk.makeFolder(path)
    await syncOnce(this.#disk, this.#root.startPath)
    return { folder: await SyncedFolder.open(this.#disk, path), start }
  }
}

/** Ids begin with the time, so that blobs written together have adjacent rows, and end with the folder number. */
const newBlobId = (nowMs: number, shard: number): string =>
  nowMs.toString(16).padStart(12, '0') + randomBytes(9).toString('hex') + hexByte(shard)

const hexByte = (value: number): string => value.toString(16).padStart(2, '0')
