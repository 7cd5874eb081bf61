import { defineEntity, p } from '@mikro-orm/core'
import type { MeasuredKind } from '../contract/providers.ts'

/** What our calls of one kind to a provider showed. At most four rows for each registered provider. */
export const measuresEntity = defineEntity({
  name: 'ProviderMeasures',
  tableName: 'provider_measures',
  properties: {
    provider_id: p.text().primary(),
    kind: p.text().$type<MeasuredKind>().primary(),
    calls: p.bigint('number'),
    failed: p.bigint('number'),
    since: p.bigint('number'),
    last_at: p.bigint('number'),
    /** Time of the weights and sums below, which halve with time. */
    weighed_at: p.bigint('number'),
    /** Thousandths of a call. */
    weight: p.bigint('number'),
    ok_weight: p.bigint('number'),
    /** Sums of the transfers that are large enough to have a rate. */
    bytes: p.bigint('number'),
    ms: p.bigint('number'),
    failed_at: p.bigint('number').nullable(),
    failure_call: p.text().nullable(),
    failure_reason: p.text().nullable(),
  },
})
