import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { cacheStats, systemInfo, workers } from '../system/system-api.ts'

const count = 'number.integer'

/** A kind of work that has tasks to do now. */
export const activeWork = type({
  operation: 'string',
  by_status: { pending: count, running: count },
  total: count,
})

export const overview = defineEndpoint({
  method: 'GET',
  path: '/api/v1/overview',
  summary: 'The service at a glance; a part that cannot be read stays at zero',
  answer: type({
    buckets: { total: count, by_status: 'Record<string, number>' },
    /** Current versions. */
    objects: {
      total: count,
      total_size_bytes: count,
      by_state: { cached: count, uploading: count, committing: count, replicating: count, stored: count, failed: count },
      /** Failed ones, and those whose bytes are nowhere. */
      attention: { needs_attention: count, unavailable: count },
    },
    tasks: {
      /** Failed includes failures that were acknowledged. */
      by_status: { pending: count, running: count, completed: count, failed: count, cancelled: count },
      /** Failures that nobody has acknowledged. */
      attention: { failed: count },
      active_pipeline: activeWork.array(),
    },
    cache: cacheStats.answer,
    workers: workers.answer.get('workers'),
    system: systemInfo.answer,
    /** While the plugin that watches providers is enabled. */
    'chain_storage_health?': 'object',
  }),
})

export type Overview = typeof overview.answer.infer
