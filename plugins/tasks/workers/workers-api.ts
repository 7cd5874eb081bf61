import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

export const workers = defineEndpoint({
  method: 'GET',
  path: '/api/v1/workers',
  summary: 'Show the health of background workers; true: making progress',
  answer: type({
    workers: 'Record<string, boolean>',
    details: type({ '[string]': { healthy: 'boolean', last_tick_at: 'string', active: 'number.integer' } }),
  }),
})

export type Workers = typeof workers.answer.infer
