import { defineEntity, p } from '@mikro-orm/core'

/** Kept figures of consecutive steps. A new row takes the slot of the oldest one, so the number of rows is bounded. */
export const seriesStepEntity = defineEntity({
  name: 'SeriesStep',
  tableName: 'series_steps',
  properties: {
    step_ms: p.bigint('number').primary(),
    slot: p.bigint('number').primary(),
    /** Number of the first step, counted from 1970. */
    first_step: p.bigint('number'),
    /** JSON: see StoredSteps. */
    figures: p.text(),
  },
})
