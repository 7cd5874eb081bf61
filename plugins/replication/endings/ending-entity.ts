import { defineEntity, p } from '@mikro-orm/core'
import type { EndCause } from '../contract.ts'
import { dataSetEntity } from '../datasets/data-set-entity.ts'
import type { endingStates } from '../submissions/row-states-policy.ts'

/** The states of `endingStates`. */
export type EndingState = (typeof endingStates)[keyof typeof endingStates]
/** relay: the provider sends the signed termination, and the service ends at once · payer: the wallet sends it, and the lockup period is paid. */
export type EndingPath = 'relay' | 'payer'

/** Data sets that must end. A row is deleted with its data set. Numbers of the chain are decimal text. */
export const endingEntity = defineEntity({
  name: 'DataSetEnding',
  tableName: 'data_set_endings',
  properties: {
    data_set_id: () =>
      p.manyToOne(dataSetEntity).fieldName('data_set_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    cause: p.text().$type<EndCause>().default('bucket_deleted'),
    state: p.text().$type<EndingState>(),
    path: p.text().$type<EndingPath>(),
    extra_data: p.text().nullable(),
    started_at: p.bigint('number').nullable(),
    sender_nonce: p.bigint('number').nullable(),
    attempts: p.integer().default(0),
    checks: p.integer().default(0),
    end_epoch: p.text().nullable(),
    last_error: p.text().nullable(),
    requested_at: p.bigint('number'),
    retiring_at: p.bigint('number').nullable(),
    updated_at: p.bigint('number'),
    price_list: p.text().nullable(),
  },
})
