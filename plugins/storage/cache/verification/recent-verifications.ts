import { DamagedBlob } from './whole-read.ts'

/** How long an unchanged file counts as verified. A file read again within this time comes from the page cache, not from the disk. */
export const verificationMs = 60_000
const verificationsMax = 10_000
/** One bit per block of 64 KiB: for files of 512 GiB together. */
const bitmapBytesMax = 1024 * 1024

/** Blocks of a file, from 0; both ends inclusive. `count`: of all blocks. */
export interface FileBlocks {
  readonly first: number
  readonly last: number
  readonly count: number
}

interface Verification {
  readonly stamp: string
  readonly atMs: number
  /** One bit per verified block; absent: all are verified. */
  readonly bitmap?: Uint8Array
}

/**
 * Files whose SHA-256, and blocks whose checksum was verified recently, by blob id. `stamp` is the file's inode, length and change time,
 * which every write by a program changes.
 */
export class RecentVerifications {
  readonly #verifications = new Map<string, Verification>()
  #bitmapBytes = 0
  /** Verifications by blob id. Each resolves to the fault of the verification, if it had one. */
  readonly #running = new Map<string, Promise<unknown>>()
  readonly #now: () => number

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Asks for the whole file without `blocks`. */
  has(blobId: string, stamp: string, blocks?: FileBlocks): boolean {
    const verification = this.#find(blobId, stamp)
    return (
      verification !== undefined && (verification.bitmap === undefined || (blocks !== undefined && areSet(verification.bitmap, blocks)))
    )
  }

  /** `stamp`: read before the first byte of the file. Without `blocks`: of the whole file. The time of its first blocks counts for all. */
  keep(blobId: string, stamp: string, blocks?: FileBlocks): void {
    const earlier = this.#find(blobId, stamp)
    if (blocks && earlier) {
      if (earlier.bitmap) setBits(earlier.bitmap, blocks)
      return
    }
    this.#drop(blobId)
    const bitmap = blocks && new Uint8Array(Math.ceil(blocks.count / 8))
    if (bitmap) setBits(bitmap, blocks)
    this.#bitmapBytes += bitmap?.length ?? 0
    this.#verifications.set(blobId, { stamp, atMs: this.#now(), ...(bitmap && { bitmap }) })
    for (const oldest of this.#verifications.keys()) {
      if (this.#verifications.size <= verificationsMax && this.#bitmapBytes <= bitmapBytesMax) break
      this.#drop(oldest)
    }
  }

  /**
   * Runs `verify`, which calls `keep`, unless the file was verified recently; one at a time for each blob, whose result all readers share.
   * After a verification that ended for another reason, such as its reader leaving, the next reader verifies. @throws DamagedBlob
   */
  async verifyOnce(blobId: string, stamp: string, verify: () => Promise<void>): Promise<void> {
    for (let running = this.#running.get(blobId); running; running = this.#running.get(blobId)) {
      const fault = await running
      if (fault instanceof DamagedBlob) throw fault
    }
    if (this.has(blobId, stamp)) return
    const verifying = verify()
    const done = verifying.then(
      () => undefined,
      (fault: unknown) => fault,
    )
    this.#running.set(blobId, done)
    try {
      await verifying
    } finally {
      this.#running.delete(blobId)
    }
  }

  #find(blobId: string, stamp: string): Verification | undefined {
    const found = this.#verifications.get(blobId)
    return found?.stamp === stamp && this.#now() - found.atMs < verificationMs ? found : undefined
  }

  #drop(blobId: string): void {
    this.#bitmapBytes -= this.#verifications.get(blobId)?.bitmap?.length ?? 0
    this.#verifications.delete(blobId)
  }
}

function areSet(bitmap: Uint8Array, { first, last }: FileBlocks): boolean {
  for (let block = first; block <= last; block++) if (((bitmap[block >> 3] ?? 0) & (1 << (block & 7))) === 0) return false
  return true
}

function setBits(bitmap: Uint8Array, { first, last }: FileBlocks): void {
  for (let block = first; block <= last; block++) bitmap[block >> 3] = (bitmap[block >> 3] ?? 0) | (1 << (block & 7))
}
