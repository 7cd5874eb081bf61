/** Whether a due signal is repaired. Amounts in 10^-18 USDFC. */
import type { Replacement } from '../contract/records.ts'

/** Replacements of the repair that are not finished at a time, and those that one round confirms. */
const openMax = 4
export const perRoundMax = 2

/** Until a refused repair is tried again. */
export const retryMs = 60 * 60_000

type Verdict =
  | { readonly kind: 'repair' }
  | { readonly kind: 'rest' }
  | { readonly kind: 'refuse'; readonly reason: string; readonly message: string }

interface Due {
  /** The unfinished replacement of the slot. */
  readonly open: Pick<Replacement, 'id' | 'origin' | 'status' | 'phase' | 'failureReason' | 'lastError'> | undefined
  /** Replacements of the repair that are not finished, in all buckets. */
  readonly openRepairs: number
}

export function decide({ open, openRepairs }: Due): Verdict {
  if (open) {
    if (open.status !== 'failed' && open.status !== 'cleanup_attention') return { kind: 'rest' }
    // An operator's replacement is the operator's.
    const mayMoveOn =
      open.origin === 'repair' && open.status === 'failed' && (open.phase === 'prepare' || open.failureReason === 'target_lost')
    if (!mayMoveOn) {
      const why = open.lastError === null ? '' : `: ${open.lastError}`
      return { kind: 'refuse', reason: 'replacement_failed', message: `replacement ${open.id} of the replica needs an operator${why}` }
    }
  }
  return openRepairs >= openMax ? { kind: 'rest' } : { kind: 'repair' }
}

/** `limit` undefined: no ceiling. */
export const isAboveCeiling = (limit: bigint | undefined, spent: bigint, fee: bigint): boolean => limit !== undefined && spent + fee > limit

const dayMs = 86_400_000
/** Beginning of the UTC day. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / dayMs) * dayMs
