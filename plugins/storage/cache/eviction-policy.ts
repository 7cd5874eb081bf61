import type { CacheStats } from '../contract.ts'

/** When cached bytes are removed by themselves, and how far. */
export type EvictionRules = { readonly policy: 'none' } | { readonly policy: 'after_upload' } | ({ readonly policy: 'lru' } & Watermarks)

export interface Watermarks {
  /** Removal begins when so much is used … */
  readonly highBytes: number
  /** … and goes on until no more than this is. */
  readonly lowBytes: number
}

export function evictionRules(
  policy: CacheStats['evictionPolicy'],
  { maxBytes, highPercent, lowPercent }: { readonly maxBytes: number; readonly highPercent: number; readonly lowPercent: number },
): EvictionRules {
  const bytesOf = (percent: number) => Math.floor((maxBytes * percent) / 100)
  return policy === 'lru' ? { policy, highBytes: bytesOf(highPercent), lowBytes: bytesOf(lowPercent) } : { policy }
}

export interface Room {
  readonly maxBytes: number
  readonly usedBytes: number
  readonly reservedBytes: number
  /** The largest body that was refused for lack of room lately; 0 when none was. */
  readonly refusedBytes: number
  /** Removal has begun and not come to its end yet, because nothing more could be removed. */
  readonly isUnderWay: boolean
}

/** What the used bytes are to be brought down to now; undefined while nothing has to go. */
export function targetBytes(rules: EvictionRules, room: Room): number | undefined {
  const { maxBytes, usedBytes, reservedBytes, refusedBytes } = room
  if (rules.policy === 'none') return undefined
  if (rules.policy === 'after_upload') return 0
  // A large body may not fit although the mark is far: it would have crossed it.
  const fitsRefused = refusedBytes === 0 ? maxBytes : maxBytes - reservedBytes - refusedBytes
  if (usedBytes < rules.highBytes && usedBytes <= fitsRefused && !room.isUnderWay) return undefined
  return Math.max(0, Math.min(rules.lowBytes, fitsRefused))
}

/** Was the high mark crossed upwards? */
export const crossesHigh = (rules: EvictionRules, beforeBytes: number, afterBytes: number): boolean =>
  rules.policy === 'lru' && beforeBytes < rules.highBytes && afterBytes >= rules.highBytes

/** Of the candidates, in their order, as many as it takes to free the bytes. */
export function enoughOf<C extends { readonly bytes: number }>(candidates: readonly C[], bytes: number): readonly C[] {
  let freed = 0
  const last = candidates.findIndex((candidate) => {
    freed += candidate.bytes
    return freed >= bytes
  })
  return last === -1 ? candidates : candidates.slice(0, last + 1)
}
