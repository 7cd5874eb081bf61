import { defineEntity, p } from '@mikro-orm/core'
import { dataSetEntity } from '../datasets/data-set-entity.ts'

/** A data set whose copies do not count as durable, or are counted again. Null `reason`: they count again. */
export const dataSetStandingEntity = defineEntity({
  name: 'DataSetStanding',
  tableName: 'data_set_standings',
  properties: {
    data_set_id: () =>
      p.manyToOne(dataSetEntity).fieldName('data_set_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    reason: p.text().$type<'proving_missed' | 'service_ended' | 'not_on_chain'>().nullable(),
    since: p.bigint('number'),
    /** Contents up to this id were counted since the reason changed; null: all. */
    counted_to: p.bigint('number').nullable(),
  },
})
