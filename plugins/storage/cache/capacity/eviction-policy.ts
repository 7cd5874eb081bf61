import type { CacheStats } from '../../contract.ts'

/** When the evictor removes cached bytes, and how many. */
export type EvictionRules = { readonly policy: 'none' } | { readonly policy: 'after_upload' } | ({ readonly policy: 'lru' } & Watermarks)

interface Watermarks {
  /** Eviction starts when used bytes reach this … */
  readonly highBytes: number
  /** … and continues until at most this many are used. */
  readonly lowBytes: number
}

export function evictionRules(
  policy: CacheStats['evictionPolicy'],
  { maxBytes, highPercent, lowPercent }: { readonly maxBytes: number; readonly highPercent: number; readonly lowPercent: number },
): EvictionRules {
  const bytesOf = (percent: number) => Math.floor((maxBytes * percent) / 100)
  return policy === 'lru' ? { policy, highBytes: bytesOf(highPercent), lowBytes: bytesOf(lowPercent) } : { policy }
}

export interface CacheUsage {
  readonly maxBytes: number
  readonly usedBytes: number
  readonly reservedBytes: number
  /** Size of the largest body refused for lack of space since the last pass; 0 for none. */
  readonly refusedBytes: number
  /** The last pass ended above its target, because no more could be removed. */
  readonly isUnfinished: boolean
}

/** Number of used bytes to evict down to; undefined when no eviction is needed. */
export function targetBytes(rules: EvictionRules, usage: CacheUsage): number | undefined {
  const { maxBytes, usedBytes, reservedBytes, refusedBytes } = usage
  if (rules.policy === 'none') return undefined
  if (rules.policy === 'after_upload') return 0
  // A large body may not fit even below the high watermark.
  const fitsRefused = refusedBytes === 0 ? maxBytes : maxBytes - reservedBytes - refusedBytes
  if (usedBytes < rules.highBytes && usedBytes <= fitsRefused && !usage.isUnfinished) return undefined
  return Math.max(0, Math.min(rules.lowBytes, fitsRefused))
}

/** Whether usage rose across the high watermark. */
export const crossesHighWatermark = (rules: EvictionRules, beforeBytes: number, afterBytes: number): boolean =>
  rules.policy === 'lru' && beforeBytes < rules.highBytes && afterBytes >= rules.highBytes

/** The first candidates that together free the bytes; all of them if they do not suffice. */
export function selectToFree<C extends { readonly bytes: number }>(candidates: readonly C[], bytes: number): readonly C[] {
  let freed = 0
  const last = candidates.findIndex((candidate) => {
    freed += candidate.bytes
    return freed >= bytes
  })
  return last === -1 ? candidates : candidates.slice(0, last + 1)
}
