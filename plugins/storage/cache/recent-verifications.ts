/** How long an unchanged file counts as verified. A file read again within this time comes from the page cache, not from the disk. */
export const verificationMs = 60_000
const verificationsMax = 10_000

/**
 * Files whose SHA-256 was verified recently, by blob id. `stamp` is the file's inode, length and change time, which every write by a
 * program changes.
 */
export class RecentVerifications {
  readonly #verifications = new Map<string, { readonly stamp: string; readonly atMs: number }>()
  /** By blob id. They do not reject. */
  readonly #running = new Map<string, Promise<void>>()
  readonly #now: () => number

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  has(blobId: string, stamp: string): boolean {
    const verification = this.#verifications.get(blobId)
    return verification !== undefined && verification.stamp === stamp && this.#now() - verification.atMs < verificationMs
  }

  /** `stamp`: read before the first byte of the file. */
  keep(blobId: string, stamp: string): void {
    this.#verifications.delete(blobId)
    this.#verifications.set(blobId, { stamp, atMs: this.#now() })
    for (const oldest of this.#verifications.keys()) {
      if (this.#verifications.size <= verificationsMax) break
      this.#verifications.delete(oldest)
    }
  }

  /** Runs `verify`, which calls `keep`, unless the file was verified recently; one at a time for each blob, so that many readers cause one. */
  async verifyOnce(blobId: string, stamp: string, verify: () => Promise<void>): Promise<void> {
    for (let running = this.#running.get(blobId); running; running = this.#running.get(blobId)) await running
    if (this.has(blobId, stamp)) return
    const verifying = verify()
    const done = verifying.catch(() => {})
    this.#running.set(blobId, done)
    try {
      await verifying
    } finally {
      this.#running.delete(blobId)
    }
  }
}
