import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Clock } from '#kernel'
import type { Disk } from './disk.ts'
import { SyncedFolder } from './synced-folder.ts'

export const blobsFolder = 'blobs'

/** Path of a blob's file: `blobs/<epoch>/<last two digits of its id>/<id>`. */
export const blobPath = (dir: string, blobId: string, epoch: number): string =>
  `${dir}/${blobsFolder}/${epoch}/${blobId.slice(-2)}/${blobId}`

interface BlobPlace {
  readonly blobId: string
  readonly epoch: number
  readonly path: string
  readonly folder: SyncedFolder
}

/** Files put into one folder before the next is used: concurrent writes share the folder and its fsync. */
const filesPerTurn = 1024
const foldersMax = 256

/** Allocates paths for new blobs of this start. Every folder is durable before a file is put into it. */
export class BlobFolders {
  readonly epoch: number
  readonly #disk: Disk
  readonly #dir: string
  readonly #clock: Clock
  readonly #folders = new Map<number, Promise<SyncedFolder>>()
  #turn = 0

  constructor({ disk, dir, epoch, clock }: { readonly disk: Disk; readonly dir: string; readonly epoch: number; readonly clock: Clock }) {
    this.epoch = epoch
    this.#disk = disk
    this.#dir = dir
    this.#clock = clock
  }

  /** The folder of this start. Missing while the disk is unmounted. */
  get rootPath(): string {
    return join(this.#dir, blobsFolder, String(this.epoch))
  }

  async open(): Promise<void> {
    await this.#disk.makeFolder(this.rootPath)
    // The names of all new parent folders must survive a crash too: the cache folder, `blobs` and the epoch.
    for (const path of [join(this.#dir, blobsFolder), this.#dir, dirname(this.#dir)]) await syncOnce(this.#disk, path)
  }

  async next(): Promise<BlobPlace> {
    const shard = this.#shard()
    this.#turn += 1
    const folder = await this.#folder(shard)
    // Made in advance, so that no put waits for it.
    const following = (shard + 1) % foldersMax
    if (!this.#folders.has(following)) void this.#make(following)
    const blobId = newBlobId(this.#clock.now(), shard)
    return { blobId, epoch: this.epoch, path: `${folder.path}/${blobId}`, folder }
  }

  async close(): Promise<void> {
    const folders = await Promise.allSettled(this.#folders.values())
    this.#folders.clear()
    for (const folder of folders) if (folder.status === 'fulfilled') await folder.value.close()
  }

  #shard(): number {
    return Math.floor(this.#turn / filesPerTurn) % foldersMax
  }

  async #folder(shard: number): Promise<SyncedFolder> {
    const opening = this.#folders.get(shard) ?? this.#make(shard)
    const folder = await opening
    if (!folder.hasFailed) return folder
    // New files need a new descriptor. The writes that shared the failed fsync were all rejected.
    if (this.#folders.get(shard) === opening) {
      this.#folders.delete(shard)
      await folder.close()
    }
    return this.#folder(shard)
  }

  #make(shard: number): Promise<SyncedFolder> {
    const making = this.#makeDurable(`${this.rootPath}/${hexByte(shard)}`)
    this.#folders.set(shard, making)
    making.catch(() => {
      // Waiting callers get the error. Later ones get another folder: a second fsync would not report that this name was lost.
      this.#folders.delete(shard)
      if (this.#shard() === shard) this.#turn += filesPerTurn
    })
    return making
  }

  async #makeDurable(path: string): Promise<SyncedFolder> {
    await this.#disk.makeFolder(path)
    await syncOnce(this.#disk, this.rootPath)
    return SyncedFolder.open(this.#disk, path)
  }
}

async function syncOnce(disk: Disk, path: string): Promise<void> {
  const folder = await SyncedFolder.open(disk, path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Ids begin with the time, so that blobs written together have adjacent rows, and end with the folder number. */
const newBlobId = (nowMs: number, shard: number): string =>
  nowMs.toString(16).padStart(12, '0') + randomBytes(9).toString('hex') + hexByte(shard)

const hexByte = (value: number): string => value.toString(16).padStart(2, '0')
