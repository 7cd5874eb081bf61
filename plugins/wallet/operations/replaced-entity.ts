import { defineEntity, p } from '@mikro-orm/core'
import { operationEntity } from './operation-entity.ts'

/** Transactions of an operation that another one with the same nonce was to replace. Either may land. */
export const replacedEntity = defineEntity({
  name: 'WalletReplaced',
  tableName: 'wallet_replaced',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    operation_id: () => p.manyToOne(operationEntity).fieldName('operation_id').mapToPk(),
    tx_hash: p.text(),
    raw_tx: p.text(),
    replaced_at: p.bigint('number'),
  },
})
