/** The walk through the versions of a bucket, in the order of `Versions.list`. */
import { type Judged, judgeVersion, type Rules, type Standing, type Verdict } from './expiry-policy.ts'

/** What the walk knows of the key of the last version that it passed. */
export interface Walked {
  readonly key: string
  /** Creation of that version. */
  readonly createdAtMs: number
  /** Noncurrent versions with bytes that were passed and stay. */
  readonly noncurrent: number
}

interface WalkedVersion extends Judged {
  readonly versionId: string
}

export interface Judgement<V> {
  readonly version: V
  readonly verdict: Exclude<Verdict, 'keep'>
  readonly standing: Standing
}

/** Judges the versions in order. `next`: the one behind them, which decides whether the last delete marker is alone. */
export function walkVersions<V extends WalkedVersion>(
  by: Rules,
  versions: readonly V[],
  { before, next }: { readonly before: Walked | undefined; readonly next: V | undefined },
): { readonly judgements: readonly Judgement<V>[]; readonly walked: Walked | undefined } {
  const judgements: Judgement<V>[] = []
  let walked = before
  for (const [at, version] of versions.entries()) {
    const newer: Walked | undefined = walked?.key === version.key ? walked : undefined
    const isOnly = newer === undefined && (versions[at + 1] ?? next)?.key !== version.key
    // After the clock was set back, a newer version may have an earlier time.
    const noncurrentSinceMs = newer && Math.max(newer.createdAtMs, version.createdAtMs)
    const standing: Standing = { noncurrentSinceMs, newerNoncurrent: newer?.noncurrent ?? 0, isOnly }
    const verdict = judgeVersion(by, version, standing)
    if (verdict !== 'keep') judgements.push({ version, verdict, standing })
    const counts = newer !== undefined && verdict === 'keep' && !version.isDeleteMarker ? 1 : 0
    walked = { key: version.key, createdAtMs: version.createdAtMs, noncurrent: (newer?.noncurrent ?? 0) + counts }
  }
  return { judgements, walked }
}
