import { defineEntity, p } from '@mikro-orm/core'
import { dataSetObservationEntity } from './data-set-observation-entity.ts'

/** An ended proving period of a data set. The last six weeks are kept. */
export const provingPeriodEntity = defineEntity({
  name: 'ProvingPeriod',
  tableName: 'proving_periods',
  properties: {
    data_set_id: () =>
      p.manyToOne(dataSetObservationEntity).fieldName('data_set_id').mapToPk().primary().updateRule('no action').deleteRule('cascade'),
    period: p.bigint('number').primary(),
    end_epoch: p.bigint('number'),
    is_proven: p.integer(),
  },
})
