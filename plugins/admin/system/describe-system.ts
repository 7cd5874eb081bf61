import { formatTime } from '#kernel'
import type { SystemState, WorkerHealth } from '#kernel/system'
import type { CacheStats as StoredCacheStats } from '#plugins/storage'
import type { Chain } from '#plugins/wallet'
import type { CacheStats, SystemInfo, Workers } from './system-api.ts'

interface SystemSituation {
  readonly state: SystemState
  readonly nowMs: number
  readonly chain: Pick<Chain, 'network'> | undefined
}

export function describeSystem({ state, nowMs, chain }: SystemSituation): SystemInfo {
  const { version, commit, buildDate, startedAtMs, mode, plugins } = state
  return {
    version,
    commit,
    build_date: buildDate,
    uptime_seconds: Math.floor((nowMs - startedAtMs) / 1000),
    started_at: formatTime(startedAtMs),
    mode,
    ...(chain && { network: chain.network.name, chain_id: chain.network.chainId }),
    plugins: plugins.map(({ id, enabled }) => ({ id, enabled })),
  }
}

/** All background work runs in one engine. */
export function describeWorkers(tasks: WorkerHealth): Workers {
  const healthy = tasks.isHealthy()
  const { active, lastPollAtMs } = tasks.activity()
  return { workers: { tasks: healthy }, details: { tasks: { healthy, last_tick_at: formatTime(lastPollAtMs), active } } }
}

export function describeCache(stats: StoredCacheStats): CacheStats {
  const { highWatermarkBytes, lowWatermarkBytes } = stats
  return {
    used_bytes: stats.usedBytes,
    max_bytes: stats.maxBytes,
    reserved_bytes: stats.reservedBytes,
    eviction_policy: stats.evictionPolicy,
    ...(highWatermarkBytes !== undefined && { high_watermark_bytes: highWatermarkBytes }),
    ...(lowWatermarkBytes !== undefined && { low_watermark_bytes: lowWatermarkBytes }),
    eviction_paused: stats.isEvictionPaused,
  }
}
