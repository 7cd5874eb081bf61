import { bucketNotFound } from '../catalog/buckets/bucket-not-found.ts'
import { isSameBucket, nameOf } from '../catalog/buckets/bucket-ref-policy.ts'
import type { Bucket, BucketRef } from '../contract.ts'

/** All buckets in memory, because every request reads one. */
export class BucketIndex {
  readonly #onChanged: (bucket: Bucket) => void
  readonly #byName = new Map<string, Bucket>()
  readonly #byId = new Map<number, Bucket>()
  #sorted: readonly Bucket[] | undefined

  /** `onChanged` is called after each `keep` and `drop`. */
  constructor(buckets: readonly Bucket[], onChanged: (bucket: Bucket) => void) {
    this.#onChanged = onChanged
    for (const bucket of buckets) this.#add(bucket)
  }

  readonly find = (name: string): Bucket | undefined => this.#byName.get(name)
  readonly findById = (id: number): Bucket | undefined => this.#byId.get(id)

  /** Throws `bucket_not_found`. */
  readonly require = (wanted: BucketRef): Bucket => {
    const name = nameOf(wanted)
    const bucket = this.#byName.get(name)
    if (!bucket || !isSameBucket(wanted, bucket)) throw bucketNotFound(name)
    return bucket
  }

  /** Sorted by name. */
  readonly list = (): readonly Bucket[] => {
    this.#sorted ??= [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    return this.#sorted
  }

  keep(bucket: Bucket): void {
    this.#add(bucket)
    this.#onChanged(bucket)
  }

  drop(bucket: Bucket): void {
    // A new bucket may have the name.
    if (this.#byName.get(bucket.name)?.id === bucket.id) this.#byName.delete(bucket.name)
    this.#byId.delete(bucket.id)
    this.#sorted = undefined
    this.#onChanged(bucket)
  }

  #add(bucket: Bucket): void {
    this.#byName.set(bucket.name, bucket)
    this.#byId.set(bucket.id, bucket)
    this.#sorted = undefined
  }
}
