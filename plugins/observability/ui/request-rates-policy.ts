/** Rates of S3 operations, from the counters of the metrics page. Pure. */

/** Operations since the start of the service. */
export interface RequestCounts {
  readonly reads: number
  readonly writes: number
  readonly failures: number
}

/** What one metrics page says. */
interface RequestReading {
  readonly counts: RequestCounts
  /** The counters behind the counts, by their labels. */
  readonly counters: ReadonlyMap<string, number>
  /** Is undefined when the page does not have it. */
  readonly processStart: string | undefined
}

export interface RequestSample extends RequestReading {
  readonly atMs: number
  /** Operations per second since the sample before; null after a restart of the service, and after a pause of the samples. */
  readonly rates: RequestCounts | null
}

export const sampleMs = 20_000
/** 30 minutes. */
export const samplesMax = 90
/** A mean over a longer time, such as of a tab in the background, would pass as the rate of now. */
const gapMs = 2.5 * sampleMs

const readGroups = ['get', 'head', 'list']
const linePattern = /^svc_backend_object_operations_total\{(operation="(\w+)",status="(\w+)")\} (\d+)$/gm
const startPattern = /^process_start_time_seconds (\S+)$/m

/** Returns undefined when the page has no counters of S3 operations, as without the S3 plugin. */
export function readRequests(page: string): RequestReading | undefined {
  const lines = [...page.matchAll(linePattern)]
  if (lines.length === 0) return undefined
  const sum = (wanted: (operation: string, status: string) => boolean) =>
    lines.reduce((all, [, , operation = '', status = '', count]) => all + (wanted(operation, status) ? Number(count) : 0), 0)
  return {
    counts: {
      reads: sum((operation) => readGroups.includes(operation)),
      writes: sum((operation) => !readGroups.includes(operation)),
      failures: sum((_, status) => status === 'failure'),
    },
    counters: new Map(lines.map(([, labels = '', , , count]) => [labels, Number(count)])),
    processStart: startPattern.exec(page)?.[1],
  }
}

/** The oldest samples leave. */
export function addReading(samples: readonly RequestSample[], reading: RequestReading, atMs: number): readonly RequestSample[] {
  const last = samples.at(-1)
  if (last && atMs <= last.atMs) return samples
  return [...samples, { ...reading, atMs, rates: last ? toRates(last, reading, atMs) : null }].slice(-samplesMax)
}

function toRates(before: RequestSample, reading: RequestReading, atMs: number): RequestCounts | null {
  const betweenMs = atMs - before.atMs
  if (betweenMs > gapMs || isRestarted(before, reading)) return null
  const rate = (member: keyof RequestCounts) => ((reading.counts[member] - before.counts[member]) * 1000) / betweenMs
  return { reads: rate('reads'), writes: rate('writes'), failures: rate('failures') }
}

const isRestarted = (before: RequestReading, { counters, processStart }: RequestReading): boolean =>
  before.processStart !== processStart || [...before.counters].some(([labels, count]) => (counters.get(labels) ?? 0) < count)
