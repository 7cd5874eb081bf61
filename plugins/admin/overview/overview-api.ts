import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { workCounts } from '../buckets/bucket-api.ts'
import { cacheStats } from '../system/cache-api.ts'
import { systemInfo } from '../system/system-api.ts'

const count = 'number.integer'
const level = "'ok' | 'warning' | 'blocking'"

/** Health of all providers or all data sets. */
const healthSummary = {
  summary: {
    total: count,
    available: count,
    degraded: count,
    unavailable: count,
    unknown: count,
    /** Counts by reason, as in the lists of the plugin `observability`. */
    'reasons?': type({ status: 'string', reason_code: 'string', count }).array(),
  },
  summary_signal: {
    level,
    freshness: { 'last_checked_at?': 'string', stale: 'boolean', warnings: "('no_state_recorded' | 'stale_state')[]" },
  },
} as const

/** Members of `cost` that the dashboard shows. Amounts are decimal text in 10^-18 USDFC. */
interface ShownCost {
  readonly runway: { readonly days: number | null; readonly level: 'ok' | 'warning' | 'serious' | 'empty' | 'unknown' }
  readonly rate: { readonly per_day: string } | null
}

/** A task type with pending or running tasks. */
const activeWork = type({
  operation: 'string',
  by_status: { pending: count, running: count },
  total: count,
})

export const overview = defineEndpoint({
  method: 'GET',
  path: '/api/v1/overview',
  summary: 'Summarize the service; a part that cannot be read stays at zero',
  answer: type({
    buckets: { total: count, by_status: 'Record<string, number>' },
    /** Current versions. */
    objects: {
      total: count,
      total_size_bytes: count,
      /** Objects with fewer copies than their target, by what happens to them: `stuck` includes failed ones. Absent without replication. */
      'below_target?': workCounts,
      by_state: { cached: count, uploading: count, committing: count, replicating: count, stored: count, failed: count },
      /**
       * Failed ones, those without readable bytes, those that lack a copy that no task works on, data sets that need a task and have none,
       * copies whose storage confirmation needs an operator, and, if there are any, cached files that are missing or damaged.
       */
      attention: {
        needs_attention: count,
        unavailable: count,
        stuck: count,
        stuck_data_sets: count,
        storage_confirmations: count,
        'damaged_files?': count,
      },
    },
    tasks: {
      /** Failed includes failures that were acknowledged. */
      by_status: { pending: count, running: count, completed: count, failed: count, cancelled: count },
      /** Unacknowledged failures. */
      attention: { failed: count },
      active_pipeline: activeWork.array(),
    },
    cache: cacheStats.answer,
    /** True: making progress. */
    workers: 'Record<string, boolean>',
    system: systemInfo.answer,
    /** Runway, rate and reached spend limits, of the plugin `costs`. */
    'cost?': type('object').as<ShownCost>(),
    /** Mean rates of the S3 API over the last five minutes, of the plugin `observability`. Null: not measured yet. */
    'traffic?': { received_bytes_per_second: 'number | null', sent_bytes_per_second: 'number | null' },
    /** Replacements of providers that continue by themselves, and those that failed or need an operator, of the plugin `replacement`. */
    'replacements?': { active: count, needs_attention: count },
    /** Null: not observed. */
    chain_storage_health: {
      level,
      providers: type(healthSummary).or('null'),
      data_sets: type(healthSummary).or('null'),
      partial_errors: { 'observability?': 'string', 'observability_providers?': 'string', 'observability_data_sets?': 'string' },
    },
  }),
})

export type Overview = typeof overview.answer.infer
