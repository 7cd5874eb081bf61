import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

export const requestRestart = defineEndpoint({
  method: 'POST',
  path: '/api/v1/restart',
  role: 'admin',
  summary: 'Stop the service in order, so that its supervisor starts it again',
  audit: [],
  status: 202,
  answer: type({
    /** Belongs to the process that ends; `restart.started_at` of the settings differs when its successor serves. */
    started_at: 'string',
    /** Longest wait for running requests and tasks. */
    stop_seconds: 'number.integer',
  }),
  refusals: ['restart_unsupervised', 'restart_would_fail'],
})
