/** Ids that were added within a time; the oldest are dropped above `idsMax`. */
export class RecentIds {
  readonly #addedMs = new Map<string, number>()
  readonly #ms: number
  readonly #idsMax: number
  readonly #now: () => number

  /** `now`: milliseconds of a monotonic clock. */
  constructor(ms: number, idsMax: number, now: () => number = () => performance.now()) {
    this.#ms = ms
    this.#idsMax = idsMax
    this.#now = now
  }

  add(id: string): void {
    this.#addedMs.delete(id)
    this.#addedMs.set(id, this.#now())
    for (const oldest of this.#addedMs.keys()) {
      if (this.#addedMs.size <= this.#idsMax) break
      this.#addedMs.delete(oldest)
    }
  }

  has(id: string): boolean {
    // Nearly always empty: the lookup costs nothing then.
    const addedMs = this.#addedMs.size === 0 ? undefined : this.#addedMs.get(id)
    return addedMs !== undefined && this.#now() - addedMs < this.#ms
  }
}
