/** What calls to a provider tell about it. Pure. Weights and their sums halve with time, so that old calls stop counting. */
import type { MeasuredKind, ProviderScore, TransferScore } from '../contract/providers.ts'

/** One call that ended. */
export interface MeasuredCall {
  readonly kind: MeasuredKind
  readonly atMs: number
  /** Set for a transfer that succeeded. */
  readonly transfer?: { readonly bytes: number; readonly ms: number } | undefined
  readonly failure?: { readonly call: string; readonly reason: string } | undefined
}

/** The calls of one kind to one provider. The sums `weight`, `okWeight`, `bytes` and `ms` are as of `weighedAtMs`. */
export interface Measures {
  readonly calls: number
  readonly failed: number
  readonly sinceMs: number
  readonly lastAtMs: number
  readonly weighedAtMs: number
  readonly weight: number
  readonly okWeight: number
  readonly bytes: number
  readonly ms: number
  readonly failedAtMs: number | null
  readonly failureCall: string | null
  readonly failureReason: string | null
}

/** A call counts half after this time. */
const halfLifeMs = 24 * 60 * 60_000
/** The duration of smaller transfers is that of their round trips. */
const ratedBytesMin = 256 * 1024
/** A judgement needs this weight of recent calls. */
const judgedWeightMin = 5
/** Smallest share of recent calls of a provider that does not count as failing. */
const successShareMin = 0.8

export function measuresOf({ atMs, transfer, failure }: MeasuredCall): Measures {
  const isRated = transfer !== undefined && transfer.bytes >= ratedBytesMin
  return {
    calls: 1,
    failed: failure ? 1 : 0,
    sinceMs: atMs,
    lastAtMs: atMs,
    weighedAtMs: atMs,
    weight: 1,
    okWeight: failure ? 0 : 1,
    bytes: isRated ? transfer.bytes : 0,
    ms: isRated ? Math.max(transfer.ms, 1) : 0,
    failedAtMs: failure ? atMs : null,
    failureCall: failure?.call ?? null,
    failureReason: failure?.reason ?? null,
  }
}

/** Both as of the later time. */
export function addMeasures(earlier: Measures | undefined, later: Measures): Measures {
  if (earlier === undefined) return later
  const weighedAtMs = Math.max(earlier.weighedAtMs, later.weighedAtMs)
  const [a, b] = [decayed(earlier, weighedAtMs), decayed(later, weighedAtMs)]
  const failed = (later.failedAtMs ?? 0) >= (earlier.failedAtMs ?? 0) ? later : earlier
  return {
    calls: a.calls + b.calls,
    failed: a.failed + b.failed,
    sinceMs: Math.min(a.sinceMs, b.sinceMs),
    lastAtMs: Math.max(a.lastAtMs, b.lastAtMs),
    weighedAtMs,
    weight: a.weight + b.weight,
    okWeight: a.okWeight + b.okWeight,
    bytes: a.bytes + b.bytes,
    ms: a.ms + b.ms,
    failedAtMs: failed.failedAtMs,
    failureCall: failed.failureCall,
    failureReason: failed.failureReason,
  }
}

/** Weights of a later time. A time before the measures means that the clock stepped back. */
function decayed(measures: Measures, nowMs: number): Measures {
  const factor = 0.5 ** (Math.max(0, nowMs - measures.weighedAtMs) / halfLifeMs)
  const { weight, okWeight, bytes, ms } = measures
  return { ...measures, weight: weight * factor, okWeight: okWeight * factor, bytes: bytes * factor, ms: ms * factor }
}

/** Returns undefined without calls. */
export function toScore(byKind: ReadonlyMap<MeasuredKind, Measures>, nowMs: number): ProviderScore | undefined {
  const whole = [...byKind.values()].reduce<Measures | undefined>(addMeasures, undefined)
  if (whole === undefined) return undefined
  const { weight, okWeight } = decayed(whole, nowMs)
  // Nothing speaks against a provider without recent calls.
  const successShare = (okWeight + 1) / (weight + 1)
  return {
    successShare: whole.failed === 0 ? 1 : successShare,
    isFailing: weight >= judgedWeightMin && successShare < successShareMin,
    calls: whole.calls,
    failed: whole.failed,
    sinceMs: whole.sinceMs,
    upload: toTransfer(byKind.get('upload')),
    pull: toTransfer(byKind.get('pull')),
    read: toTransfer(byKind.get('read')),
    lastFailure:
      whole.failedAtMs === null ? undefined : { atMs: whole.failedAtMs, call: whole.failureCall ?? '', reason: whole.failureReason ?? '' },
  }
}

function toTransfer(measures: Measures | undefined): TransferScore | undefined {
  if (measures === undefined) return undefined
  const { calls, failed, bytes, ms, lastAtMs } = measures
  return { calls, failed, bytesPerSecond: ms > 0 ? Math.round((bytes / ms) * 1000) : undefined, lastAtMs }
}
