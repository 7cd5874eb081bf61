import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from './bucket-entity.ts'

/** `completed`: kept for a while, so that a repeated completion gets the same answer. */
type UploadState = 'open' | 'completed'

export const uploadEntity = defineEntity({
  name: 'Upload',
  tableName: 'uploads',
  properties: {
    upload_id: p.text().primary(),
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk(),
    key: p.text(),
    state: p.text().$type<UploadState>().default('open'),
    content_type: p.text(),
    headers: p.text().nullable(),
    user_metadata: p.text().nullable(),
    tags: p.text().nullable(),
    checksum_algorithm: p.text().nullable(),
    checksum_type: p.text().nullable(),
    initiator: p.text().nullable(),
    created_at: p.bigint('number'),
    /** When the last part was stored, or when the upload was completed. */
    active_at: p.bigint('number'),
    version_id: p.text().nullable(),
    /** Digest of the completed list of parts. */
    named_parts: p.text().nullable(),
  },
})
