import { defineEntity, p } from '@mikro-orm/core'
import type { SizedCall } from '../submissions/call-limit-policy.ts'

/** How many pieces a provider accepts in a paid call, as far as it is known. */
export const callLimitEntity = defineEntity({
  name: 'ProviderCallLimit',
  tableName: 'provider_call_limits',
  properties: {
    provider_id: p.text().primary(),
    call: p.text().$type<SizedCall>().primary(),
    pieces: p.integer(),
    refused_at: p.bigint('number').nullable(),
  },
})
