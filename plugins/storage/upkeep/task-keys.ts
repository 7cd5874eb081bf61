/** Deduplication keys: at most one task per key is pending or running. */
export const taskKeys = {
  reviewDurability: (bucketId: number) => `cache_reconcile_durability:${bucketId}`,
  finishEviction: (contentId: number) => `cache_evict:${contentId}`,
} as const
