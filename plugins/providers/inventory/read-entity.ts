import { defineEntity, p } from '@mikro-orm/core'

/** The last reads of the registry of one chain. The inventory has the providers of the chain in the row. */
export const readEntity = defineEntity({
  name: 'ProviderRead',
  tableName: 'provider_reads',
  properties: {
    chain_id: p.bigint('number').primary().autoincrement(false),
    /** Start of the last read that succeeded. */
    read_at: p.bigint('number').nullable(),
    /** The last read that failed, when no later one succeeded. */
    failed_at: p.bigint('number').nullable(),
    failure: p.text().nullable(),
  },
})
