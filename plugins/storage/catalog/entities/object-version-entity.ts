import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from './bucket-entity.ts'
import { contentEntity } from './content-entity.ts'

/** `rseq` is the negated sequence number of a version within its key, so that the current version is the first row. */
export const objectVersionEntity = defineEntity({
  name: 'ObjectVersion',
  tableName: 'object_versions',
  properties: {
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk().primary(),
    key: p.text().primary(),
    rseq: p.bigint('number').primary(),
    version_id: p.text().unique(),
    content_id: () => p.manyToOne(contentEntity).fieldName('content_id').mapToPk().nullable().deleteRule('no action'),
    is_delete_marker: p.integer(),
    size: p.bigint('number'),
    etag: p.text(),
    content_type: p.text(),
    headers: p.text().nullable(),
    user_metadata: p.text().nullable(),
    checksums: p.text().nullable(),
    created_at: p.bigint('number'),
    /** JSON of the parts of an upload: their numbers, sizes and checksums. */
    multipart_parts: p.text().nullable(),
    tags: p.text().nullable(),
  },
})
