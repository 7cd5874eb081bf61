import { defineEntity, p } from '@mikro-orm/core'
import { uploadEntity } from './upload-entity.ts'

/** A part of an open upload. Its file is the row of `cache_blobs` with the same blob id. */
export const uploadPartEntity = defineEntity({
  name: 'UploadPart',
  tableName: 'upload_parts',
  properties: {
    upload_id: () => p.manyToOne(uploadEntity).fieldName('upload_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    part_number: p.integer().primary(),
    size: p.bigint('number'),
    md5: p.text(),
    sha256: p.text(),
    checksums: p.text().nullable(),
    blob_id: p.text(),
    created_at: p.bigint('number'),
  },
})
