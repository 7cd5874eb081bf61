/** Rates of S3 operations, from the counters of the metrics page. Pure. */

/** Operations since the start of the service. */
export interface RequestCounts {
  readonly reads: number
  readonly writes: number
  readonly failures: number
}

export interface RequestSample {
  readonly atMs: number
  /** Operations per second since the sample before; null after a restart of the service. */
  readonly rates: RequestCounts | null
  readonly counts: RequestCounts
}

/** 30 minutes at one sample in 20 s. */
export const samplesMax = 90

const readGroups = ['get', 'head', 'list']
const linePattern = /^svc_backend_object_operations_total\{operation="(\w+)",status="(\w+)"\} (\d+)$/gm

/** Undefined: the page has no counters of S3 operations, as without the S3 plugin. */
export function readRequestCounts(page: string): RequestCounts | undefined {
  const lines = [...page.matchAll(linePattern)]
  if (lines.length === 0) return undefined
  const sum = (wanted: (operation: string, status: string) => boolean) =>
    lines.reduce((all, [, operation = '', status = '', count]) => all + (wanted(operation, status) ? Number(count) : 0), 0)
  return {
    reads: sum((operation) => readGroups.includes(operation)),
    writes: sum((operation) => !readGroups.includes(operation)),
    failures: sum((_, status) => status === 'failure'),
  }
}

/** The oldest samples leave. */
export function addCounts(samples: readonly RequestSample[], counts: RequestCounts, atMs: number): readonly RequestSample[] {
  const last = samples.at(-1)
  if (last && atMs <= last.atMs) return samples
  return [...samples, { atMs, counts, rates: last ? toRates(last, counts, atMs) : null }].slice(-samplesMax)
}

function toRates({ counts: before, atMs: beforeMs }: RequestSample, counts: RequestCounts, atMs: number): RequestCounts | null {
  if (counts.reads < before.reads || counts.writes < before.writes) return null
  const rate = (member: keyof RequestCounts) => ((counts[member] - before[member]) * 1000) / (atMs - beforeMs)
  return { reads: rate('reads'), writes: rate('writes'), failures: rate('failures') }
}
