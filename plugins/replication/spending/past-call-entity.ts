import { defineEntity, p } from '@mikro-orm/core'

/**
 * Paid calls of data sets whose records were deleted, by the UTC day on which they were recorded. `data_set_id` has no foreign key, because
 * the data set is deleted too. `price_list` is empty when the prices could not be read.
 */
export const pastCallEntity = defineEntity({
  name: 'PastCall',
  tableName: 'past_calls',
  properties: {
    data_set_id: p.bigint('number').primary(),
    day: p.bigint('number').primary(),
    price_list: p.text().primary(),
    creations: p.bigint('number'),
    additions: p.bigint('number'),
    pieces: p.bigint('number'),
    removals: p.bigint('number'),
    terminations: p.bigint('number'),
  },
})
