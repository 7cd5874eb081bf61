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

export function describeCache({ usedBytes, maxBytes, reservedBytes, evictionPolicy }: StoredCacheStats): CacheStats {
  return { used_bytes: usedBytes, max_bytes: maxBytes, reserved_bytes: reservedBytes, eviction_policy: evictionPolicy }
}
