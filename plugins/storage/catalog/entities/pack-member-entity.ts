import { defineEntity, p } from '@mikro-orm/core'
import { contentEntity } from './content-entity.ts'
import { packEntity } from './pack-entity.ts'

/** A content whose copies are those of a pack, in which it is the range from `offset_bytes`. */
export const packMemberEntity = defineEntity({
  name: 'PackMember',
  tableName: 'pack_members',
  properties: {
    content_id: () =>
      p.manyToOne(contentEntity).fieldName('content_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    pack_id: () => p.manyToOne(packEntity).fieldName('pack_id').mapToPk(),
    offset_bytes: p.bigint('number'),
    length: p.bigint('number'),
  },
})
