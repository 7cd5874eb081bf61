import { type Disk, directUnit } from '../files/disk.ts'

/** Smaller bodies stay in the page cache of the system. */
const directBytesMin = 1024 * 1024
/** A smaller write takes about as long as one of this size. */
const directWriteBytesMin = 64 * 1024
/** When all memory of transfers is in direct writes, a disk of 120 MiB/s takes this long for each. */
const slowWriteMs = 100

interface BodyFileOptions {
  /** Length of the body, if known. */
  readonly size?: number | undefined
  /** Others read the file while it is written. */
  readonly isFollowed?: boolean | undefined
}

interface BodyWriteOptions {
  /** Others wait for memory: on a slow disk, the page cache takes the bytes sooner. */
  readonly isMemoryShort?: boolean
}

/** The new file of a body. Whole blocks of a large one are written past the page cache of the system: docs/adr/0054. One write at a time. */
export class BodyFile {
  readonly #disk: Disk
  readonly path: string
  readonly #direct: number | undefined
  #buffered: number | undefined
  #isRefused = false
  #isSlow = false
  #closing: Promise<void> | undefined

  /** Fails with EEXIST when the path exists. */
  static async create(disk: Disk, path: string, { size = 0, isFollowed = false }: BodyFileOptions): Promise<BodyFile> {
    const direct = size >= directBytesMin && !isFollowed ? await disk.createDirect(path) : undefined
    return new BodyFile(disk, path, { direct, buffered: direct === undefined ? await disk.create(path) : undefined })
  }

  private constructor(
    disk: Disk,
    path: string,
    { direct, buffered }: { readonly direct: number | undefined; readonly buffered: number | undefined },
  ) {
    this.#disk = disk
    this.path = path
    this.#direct = direct
    this.#buffered = buffered
  }

  async write(bytes: Uint8Array, position: number, { isMemoryShort = false }: BodyWriteOptions = {}): Promise<void> {
    if (!(isMemoryShort && this.#isSlow) && (await this.#writeDirectly(bytes, position))) return
    this.#buffered ??= await this.#disk.openToWrite(this.path)
    await this.#disk.write(this.#buffered, [bytes], position)
  }

  /** Makes all bytes and the length durable: of the file, whichever descriptor wrote them. */
  sync(): Promise<void> {
    return this.#disk.syncFile((this.#buffered ?? this.#direct) as number)
  }

  /** May be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const open = [this.#direct, this.#buffered].filter((descriptor) => descriptor !== undefined)
    await Promise.all(open.map((descriptor) => this.#disk.close(descriptor)))
  }

  async #writeDirectly(bytes: Uint8Array, position: number): Promise<boolean> {
    if (this.#direct === undefined || this.#isRefused || bytes.length < directWriteBytesMin) return false
    if (![bytes.byteOffset, bytes.length, position].every((at) => at % directUnit === 0)) return false
    const startMs = performance.now()
    try {
      await this.#disk.write(this.#direct, [bytes], position)
    } catch (error) {
      // The disk needs larger units, or a short write left a rest.
      if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error
      this.#isRefused = true
      return false
    }
    this.#isSlow = performance.now() - startMs > slowWriteMs
    return true
  }
}
