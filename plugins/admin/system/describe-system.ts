import { formatTime } from '#kernel'
import type { SystemState } from '#kernel/system'
import type { Chain } from '#plugins/wallet'
import type { SystemInfo } from './system-api.ts'

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
