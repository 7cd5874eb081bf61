import { defineEntity, p } from '@mikro-orm/core'

/** Every registered provider, as of the last read of the registry. Texts are the providers' own. */
export const inventoryEntity = defineEntity({
  name: 'ProviderInventory',
  tableName: 'provider_inventory',
  properties: {
    provider_id: p.text().primary(),
    name: p.text(),
    address: p.text().$type<`0x${string}`>(),
    payee: p.text().$type<`0x${string}`>(),
    is_active: p.integer(),
    is_approved: p.integer(),
    is_endorsed: p.integer(),
    service_url: p.text().nullable(),
    piece_bytes_max: p.bigint('number').nullable(),
    location: p.text().nullable(),
    /** Why it cannot get data sets. */
    problem: p.text().nullable(),
    pinged_at: p.bigint('number').nullable(),
    /** Round trip of the last ping; null when it failed. */
    ping_ms: p.bigint('number').nullable(),
    ping_failure: p.text().nullable(),
    description: p.text().nullable(),
    /** Null in rows of earlier versions. */
    has_pdp: p.integer().nullable(),
    /** Texts by name, as JSON. */
    capabilities: p.text().nullable(),
  },
})
