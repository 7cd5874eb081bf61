import type { WaitingSum } from '#plugins/storage'

export interface SealLimits {
  /** Bytes of the members of a full pack. */
  readonly bytes: number
  readonly members: number
  readonly waitMs: number
  readonly idleMs: number
  /** Another provider is to take over a replica of the bucket: what waited for the idle time is sealed, so that it has copies before. */
  readonly isStopping?: boolean
}

interface SealQuestion {
  readonly sum: WaitingSum
  readonly limits: SealLimits
  readonly nowMs: number
  /** The cache needs room. */
  readonly isPressed: boolean
  /** An operator asked. */
  readonly isAsked: boolean
}

type SealReason = 'full' | 'asked' | 'stop' | 'pressure' | 'waited' | 'idle'

type SealVerdict =
  | { readonly kind: 'seal'; readonly reason: SealReason }
  /** Not yet: looked at again at `untilMs`. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'nothing' }

/** The part of the idle time that contents wait under pressure of the cache. */
const pressedPart = 10

/** Whether the contents of a bucket that wait are sealed now. */
export function decideSeal({ sum, limits, nowMs, isPressed, isAsked }: SealQuestion): SealVerdict {
  const { contents, bytes, oldestMs, newestMs } = sum
  if (contents === 0 || oldestMs === undefined || newestMs === undefined) return { kind: 'nothing' }
  // A clock that stepped back does not make contents wait longer than from now.
  const waitedAtMs = Math.min(oldestMs, nowMs) + limits.waitMs
  const idleAtMs = Math.min(newestMs, nowMs) + limits.idleMs
  const stopAtMs = limits.isStopping ? Math.min(oldestMs, nowMs) + limits.idleMs : Number.POSITIVE_INFINITY
  // What arrives within this time shares a pack: a pack costs as much as a piece.
  const pressedAtMs = isPressed ? Math.min(oldestMs, nowMs) + Math.ceil(limits.idleMs / pressedPart) : Number.POSITIVE_INFINITY
  const reason = (
    [
      ['full', bytes >= limits.bytes || contents >= limits.members],
      ['asked', isAsked],
      ['stop', nowMs >= stopAtMs],
      ['pressure', nowMs >= pressedAtMs],
      ['waited', nowMs >= waitedAtMs],
      ['idle', nowMs >= idleAtMs],
    ] as const
  ).find(([, isSo]) => isSo)?.[0]
  return reason === undefined ? { kind: 'wait', untilMs: Math.min(waitedAtMs, idleAtMs, stopAtMs, pressedAtMs) } : { kind: 'seal', reason }
}

/** What an object that waits tells an operator, such as `waits for its pack, 37 of 256 MiB, at most 8 min`. */
export function describeWait({ bytes, oldestMs }: WaitingSum, limits: Pick<SealLimits, 'bytes' | 'waitMs'>, nowMs: number): string {
  const mebibytes = (count: number) => Math.floor(count / (1024 * 1024))
  const leftMs = Math.max(0, Math.min(oldestMs ?? nowMs, nowMs) + limits.waitMs - nowMs)
  const left = leftMs < 60_000 ? `${Math.ceil(leftMs / 1000)} s` : `${Math.ceil(leftMs / 60_000)} min`
  return `waits for its pack, ${mebibytes(bytes)} of ${mebibytes(limits.bytes)} MiB, at most ${left}`
}
