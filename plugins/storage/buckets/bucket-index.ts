import type { Bucket } from '../contract.ts'

/** All buckets in memory, because every request reads one. */
interface BucketIndex {
  find(name: string): Bucket | undefined
  findById(id: number): Bucket | undefined
  /** Sorted by name. */
  list(): readonly Bucket[]
  keep(bucket: Bucket): void
  drop(bucket: Bucket): void
}

export function createBucketIndex(): BucketIndex {
  const byName = new Map<string, Bucket>()
  const byId = new Map<number, Bucket>()
  let sorted: readonly Bucket[] | undefined
  return {
    find: (name) => byName.get(name),
    findById: (id) => byId.get(id),
    list() {
      sorted ??= [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
      return sorted
    },
    keep(bucket) {
      byName.set(bucket.name, bucket)
      byId.set(bucket.id, bucket)
      sorted = undefined
    },
    drop({ id, name }) {
      // A new bucket may have the name.
      if (byName.get(name)?.id === id) byName.delete(name)
      byId.delete(id)
      sorted = undefined
    },
  }
}
