import { defineEntity, p } from '@mikro-orm/core'

/** How many data sets the buckets need that a user created on a day. */
export const newDataSetsEntity = defineEntity({
  name: 'S3NewDataSets',
  tableName: 's3_new_data_sets',
  properties: {
    /** Days since 1970-01-01 UTC. */
    day: p.bigint('number').primary(),
    /** Access key; `*`: all users. */
    owner: p.text().primary(),
    data_sets: p.bigint('number'),
  },
})
