import { defineEntity, p } from '@mikro-orm/core'

/** Price lists with which attempts were paid. Never deleted. */
export const priceListEntity = defineEntity({
  name: 'PriceList',
  tableName: 'price_lists',
  properties: { fingerprint: p.text().primary(), prices: p.text(), seen_at: p.bigint('number') },
})
