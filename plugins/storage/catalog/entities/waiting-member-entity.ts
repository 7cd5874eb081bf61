import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from './bucket-entity.ts'
import { contentEntity } from './content-entity.ts'

/** A cached content without copies that waits for a pack. */
export const waitingMemberEntity = defineEntity({
  name: 'WaitingMember',
  tableName: 'waiting_members',
  properties: {
    content_id: () =>
      p.manyToOne(contentEntity).fieldName('content_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk(),
    length: p.bigint('number'),
    added_at: p.bigint('number'),
  },
})
