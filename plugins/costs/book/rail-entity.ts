import { defineEntity, p } from '@mikro-orm/core'

/**
 * Rails that a wallet pays, also finished ones: receipts name their bucket after its deletion. `kind` other: of a data set that this
 * gateway does not know, or of another service.
 */
export const costRailEntity = defineEntity({
  name: 'CostRail',
  tableName: 'cost_rails',
  properties: {
    wallet: p.text().primary(),
    rail_id: p.text().primary(),
    kind: p.text().$type<'storage' | 'cdn' | 'other'>(),
    chain_data_set_id: p.text().nullable(),
    /** The gateway's own id. */
    data_set_id: p.bigint('number').nullable(),
    bucket_id: p.bigint('number').nullable(),
    bucket: p.text().nullable(),
    is_deleted: p.integer(),
    provider_id: p.text().nullable(),
    /** Per epoch; 0 once it ends. */
    rate: p.text(),
    reserve: p.text(),
    advance: p.text(),
    pending: p.text(),
    leaves: p.text(),
    end_epoch: p.text(),
    is_open: p.integer(),
  },
})
