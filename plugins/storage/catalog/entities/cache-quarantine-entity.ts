import { defineEntity, p } from '@mikro-orm/core'

/** A file that was removed from the cache after a failed verification. Its bytes count as used ones until it is deleted. */
export const cacheQuarantineEntity = defineEntity({
  name: 'CacheQuarantine',
  tableName: 'cache_quarantine',
  properties: {
    blob_id: p.text().primary(),
    /** Id of a content that may have been deleted since. */
    content_id: p.bigint('number'),
    epoch: p.bigint('number'),
    length: p.bigint('number'),
    /** SHA-256 of the bytes that the file should have; null where none was recorded. */
    sha256: p.text().nullable(),
    block_checksums: p.blob().$type<Uint8Array>().nullable(),
    removed_at: p.bigint('number'),
  },
})
