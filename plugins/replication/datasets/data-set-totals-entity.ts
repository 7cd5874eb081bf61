import { defineEntity, p } from '@mikro-orm/core'
import { dataSetEntity } from './data-set-entity.ts'

/** Written by triggers only, because copies are committed and lost in many places. */
export const dataSetTotalsEntity = defineEntity({
  name: 'DataSetTotals',
  tableName: 'data_set_totals',
  properties: {
    data_set_id: () =>
      p.manyToOne(dataSetEntity).fieldName('data_set_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    committed_copies: p.bigint('number').default(0),
    committed_bytes: p.bigint('number').default(0),
    referenced_versions: p.bigint('number').default(0),
    current_versions: p.bigint('number').default(0),
  },
})
