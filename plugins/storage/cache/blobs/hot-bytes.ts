/** LRU memory cache of whole small blobs by id. Blobs are immutable, so entries are never stale. */
export class HotBytes {
  readonly #kept = new Map<string, Uint8Array>()
  readonly bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  get usedBytes(): number {
    return this.#bytes
  }

  get(blobId: string): Uint8Array | undefined {
    const bytes = this.#kept.get(blobId)
    if (bytes === undefined) return undefined
    // A Map keeps insertion order: reinserting makes the entry the newest.
    this.#kept.delete(blobId)
    this.#kept.set(blobId, bytes)
    return bytes
  }

  keep(blobId: string, bytes: Uint8Array): void {
    this.drop(blobId)
    this.#kept.set(blobId, bytes)
    this.#bytes += bytes.length
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.bytesMax) break
      this.drop(oldest)
    }
  }

  drop(blobId: string): void {
    this.#bytes -= this.#kept.get(blobId)?.length ?? 0
    this.#kept.delete(blobId)
  }
}
