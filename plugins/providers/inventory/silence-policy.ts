import type { StoredProvider } from '../contract/providers.ts'

/** A ping that is older than this many intervals says nothing about now. */
const recentIntervals = 2

interface PingTime {
  readonly nowMs: number
  readonly intervalMs: number
}

/** Whether the last ping failed, and is recent. */
export const isSilent = ({ pingedAtMs, pingMs }: Pick<StoredProvider, 'pingedAtMs' | 'pingMs'>, { nowMs, intervalMs }: PingTime): boolean =>
  pingedAtMs !== null && pingMs === null && Math.abs(nowMs - pingedAtMs) <= recentIntervals * intervalMs
