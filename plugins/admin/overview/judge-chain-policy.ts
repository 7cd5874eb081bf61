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
