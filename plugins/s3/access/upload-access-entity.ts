import { defineEntity, p } from '@mikro-orm/core'
import { uploadEntity } from '../../storage/entities.ts'

/** Owner and list of the version that an upload in parts will make. */
export const uploadAccessEntity = defineEntity({
  name: 'S3UploadAccess',
  tableName: 's3_upload_access',
  properties: {
    upload_id: () => p.manyToOne(uploadEntity).fieldName('upload_id').mapToPk().primary().updateRule('no action').deleteRule('cascade'),
    owner: p.text().nullable(),
    grants: p.text(),
  },
})
