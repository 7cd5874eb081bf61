import { defineEntity, p } from '@mikro-orm/core'

/** Each refusal of a paid request, kept for as long as the provider counts it. */
export const providerRefusalEntity = defineEntity({
  name: 'ProviderRefusal',
  tableName: 'provider_refusals',
  properties: { id: p.bigint('number').primary().autoincrement(), provider_id: p.text(), at: p.bigint('number') },
})
