import type { Freshness } from '../contract/providers.ts'

/** The last reads of the registry of one chain. */
export interface LastRead {
  readonly chainId: number
  /** Start of the last read that succeeded. */
  readonly readAtMs: number | null
  /** The last read that failed, when no later one succeeded. */
  readonly failedAtMs: number | null
  readonly failure: string | null
}

/** `unknown`: no read of this chain succeeded. A read in the future means that the clock stepped back. */
export function judgeFreshness(
  read: LastRead | undefined,
  now: { readonly chainId: number; readonly nowMs: number; readonly freshMs: number },
): Freshness {
  if (read === undefined || read.chainId !== now.chainId || read.readAtMs === null) return 'unknown'
  return Math.abs(now.nowMs - read.readAtMs) <= now.freshMs ? 'fresh' : 'stale'
}
