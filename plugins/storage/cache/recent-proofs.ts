/** How long the bytes of an unchanged file need not be compared again. The page cache gives a file that is read again this soon from memory. */
export const proofMs = 60_000
const proofsMax = 10_000

/**
 * Files whose bytes were compared with their SHA-256 a short while ago, by blob id. `stamp` is the file's inode, length and change time:
 * no program can write to a file without changing it.
 */
export class RecentProofs {
  readonly #proofs = new Map<string, { readonly stamp: string; readonly atMs: number }>()
  readonly #now: () => number

  /** `now`: milliseconds of a clock that never steps. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  has(blobId: string, stamp: string): boolean {
    const proof = this.#proofs.get(blobId)
    return proof !== undefined && proof.stamp === stamp && this.#now() - proof.atMs < proofMs
  }

  /** `stamp`: taken before the first byte was read. */
  keep(blobId: string, stamp: string): void {
    this.#proofs.delete(blobId)
    this.#proofs.set(blobId, { stamp, atMs: this.#now() })
    for (const oldest of this.#proofs.keys()) {
      if (this.#proofs.size <= proofsMax) break
      this.#proofs.delete(oldest)
    }
  }
}
