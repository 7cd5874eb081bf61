import type { DataSetRecord } from '#plugins/replication'
import { judgeDataSet } from '../buckets/storage-health-policy.ts'
import type { Overview } from './overview-api.ts'

type ChainHealth = Overview['chain_storage_health']

/** `counts`: data sets by status; undefined when they could not be read. */
export function judgeChain(counts: ReadonlyMap<DataSetRecord['status'], number> | undefined): ChainHealth {
  if (counts === undefined) {
    return {
      level: 'warning',
      providers: null,
      data_sets: null,
      partial_errors: { observability_data_sets: 'the data sets could not be read' },
    }
  }
  const summary = { total: 0, available: 0, degraded: 0, unavailable: 0, unknown: 0 }
  for (const [status, count] of counts) {
    if (status === 'retired') continue
    summary.total += count
    summary[judgeDataSet({ status }).status] += count
  }
  const level = summary.unavailable > 0 ? 'blocking' : summary.available < summary.total ? 'warning' : 'ok'
  const warnings = summary.total === 0 ? [] : (['no_state_recorded'] as const)
  return {
    level,
    providers: null,
    data_sets: { summary, summary_signal: { level, freshness: { stale: false, warnings: [...warnings] } } },
    partial_errors: {},
  }
}

const worstFirst = ['blocking', 'warning', 'ok'] as const

/** Other plugins replace parts of the health of the chain: its level is that of the worst one. */
export function withWorstLevel(overview: Overview): Overview {
  const health = overview.chain_storage_health
  const levels = [health.level, health.providers?.summary_signal.level, health.data_sets?.summary_signal.level]
  const level = worstFirst.find((one) => levels.includes(one)) ?? 'ok'
  return { ...overview, chain_storage_health: { ...health, level } }
}
