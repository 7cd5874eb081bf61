import { defineEntity, p } from '@mikro-orm/core'

/** Has no foreign key to the bucket: the rows go when it is deleted, before its own row does. */
export const bucketSettingEntity = defineEntity({
  name: 'S3BucketSetting',
  tableName: 's3_bucket_settings',
  properties: {
    bucket_id: p.bigint('number').primary(),
    name: p.text().primary(),
    document: p.text(),
    updated_at: p.bigint('number'),
  },
})
