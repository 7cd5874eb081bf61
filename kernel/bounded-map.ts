/** A map of at most `sizeMax` entries: a further one replaces the oldest. */
export class BoundedMap<K, V> {
  readonly #sizeMax: number
  readonly #values = new Map<K, V>()

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get size(): number {
    return this.#values.size
  }

  get(key: K): V | undefined {
    return this.#values.get(key)
  }

  set(key: K, value: V): void {
    if (this.#values.size >= this.#sizeMax && !this.#values.has(key)) {
      const oldest = this.#values.keys().next()
      if (!oldest.done) this.#values.delete(oldest.value)
    }
    this.#values.set(key, value)
  }

  clear(): void {
    this.#values.clear()
  }
}
