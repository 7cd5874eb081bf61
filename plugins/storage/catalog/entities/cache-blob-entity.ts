import { defineEntity, p } from '@mikro-orm/core'
import { contentEntity } from './content-entity.ts'
import { uploadEntity } from './upload-entity.ts'

/** A file of the cache: all or a segment of the bytes of a content, or a part of an upload. With the epoch 0, all bytes of a content in the database. */
export const cacheBlobEntity = defineEntity({
  name: 'CacheBlob',
  tableName: 'cache_blobs',
  properties: {
    blob_id: p.text().primary(),
    content_id: () => p.manyToOne(contentEntity).fieldName('content_id').mapToPk().nullable().deleteRule('no action'),
    ordinal: p.integer(),
    length: p.bigint('number'),
    epoch: p.bigint('number'),
    upload_id: () => p.manyToOne(uploadEntity).fieldName('upload_id').mapToPk().nullable().deleteRule('no action'),
    /** Null: the SHA-256 of the content. */
    sha256: p.text().nullable(),
    /** See BlockChecksums. Null: the file has one block, or was written before they were recorded. */
    block_checksums: p.blob().$type<Uint8Array>().nullable(),
    /** When the bytes failed a verification, read from the disk. */
    damaged_at: p.bigint('number').nullable(),
  },
})
