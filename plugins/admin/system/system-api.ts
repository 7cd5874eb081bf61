/** Endpoints about the service itself. */

import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

export const systemInfo = defineEndpoint({
  method: 'GET',
  path: '/api/v1/system/info',
  summary: 'Show version, mode and plugins of the running service',
  answer: type({
    version: 'string',
    commit: 'string',
    build_date: 'string',
    uptime_seconds: 'number.integer',
    started_at: 'string',
    mode: "'setup' | 'full'",
    // While the wallet plugin is enabled.
    'network?': 'string',
    'chain_id?': 'number.integer',
    plugins: type({ id: 'string', enabled: 'boolean' }).array(),
  }),
})

export const systemPlugins = defineEndpoint({
  method: 'GET',
  path: '/api/v1/system/plugins',
  summary: 'List the plugins with state, requirements, services and start time',
  answer: type({
    id: 'string',
    enabled: 'boolean',
    requires: 'string[]',
    // While one of these is disabled, this one rests: it is not enabled either.
    accompanies: 'string[]',
    services: 'string[]',
    start_ms: 'number',
  }).array(),
})

export type SystemInfo = typeof systemInfo.answer.infer
export type SystemPlugins = typeof systemPlugins.answer.infer
