import type { Disk } from './disk.ts'

/**
 * A folder with batched fsyncs: one runs at a time, and callers during it share the next one, because the running one may have begun
 * before their file was created.
 */
export class SyncedFolder {
  readonly path: string
  readonly #disk: Disk
  readonly #descriptor: number
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #hasFailed = false

  constructor(disk: Disk, path: string, descriptor: number) {
    this.path = path
    this.#disk = disk
    this.#descriptor = descriptor
  }

  static async open(disk: Disk, path: string): Promise<SyncedFolder> {
    return new SyncedFolder(disk, path, await disk.open(path))
  }

  /** True once it was closed, or an fsync failed: then the folder's names may be lost, and this descriptor is never synced again. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  sync(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next])
    // Later calls must not sync a file that has got the number of the descriptor.
    this.#hasFailed = true
    await this.#disk.close(this.#descriptor)
  }

  #start(): Promise<void> {
    this.#next = undefined
    if (this.#hasFailed) return Promise.reject(new Error(`the folder ${this.path} was closed, or an earlier fsync of it failed`))
    const run = this.#disk.syncFolder(this.#descriptor).then(
      () => this.#end(false),
      (error: unknown) => {
        this.#end(true)
        throw error
      },
    )
    this.#running = run
    return run
  }

  #end(hasFailed: boolean): void {
    this.#running = undefined
    this.#hasFailed ||= hasFailed
  }
}

export async function syncOnce(disk: Disk, path: string): Promise<void> {
  const folder = await SyncedFolder.open(disk, path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
