import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from '../../storage/entities.ts'
import { dataSetEntity } from './data-set-entity.ts'

export const replicaSlotEntity = defineEntity({
  name: 'ReplicaSlot',
  tableName: 'replica_slots',
  properties: {
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk().primary(),
    slot: p.integer().primary(),
    current_data_set_id: () => p.manyToOne(dataSetEntity).fieldName('current_data_set_id').mapToPk(),
  },
})
