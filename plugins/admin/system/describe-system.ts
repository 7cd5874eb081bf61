import { formatTime, type SystemState, type WorkerHealth } from '#kernel'
import type { CacheStats as StoredCacheStats } from '#plugins/storage'
import type { CacheStats, SystemInfo, Workers } from './system-api.ts'

export function describeSystem({ version, commit, buildDate, startedAtMs, mode, plugins }: SystemState, nowMs: number): SystemInfo {
  return {
    version,
    commit,
    build_date: buildDate,
    uptime_seconds: Math.floor((nowMs - startedAtMs) / 1000),
    started_at: formatTime(startedAtMs),
    mode,
    plugins: plugins.map(({ id, enabled }) => ({ id, enabled })),
  }
}

/** All background work runs in one engine. */
export const describeWorkers = (tasks: WorkerHealth): Workers => ({ workers: { tasks: tasks.isHealthy() } })

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
