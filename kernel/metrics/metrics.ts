import { defineExtensionPoint } from '../core/extension-point.ts'
import type { Resolved, Uses } from '../core/service.ts'

/**
 * @recipe a time series
 * Give the metric a `series`: `[{ name: 'wallet_runway', label: 'Wallet runway', unit: 'seconds' }]`. The plugin `observability` reads the
 * family every 20 seconds and keeps the figure for 24 hours, and by hours for 90 days, behind `GET /api/v1/observability/series`. A counter
 * is shown as its rate, a gauge as its mean, and a histogram as the two series `<name>_p50` and `<name>_p99`. `where` picks samples by their
 * labels; those of a series are added up. A gauge without samples, such as a balance that was not read yet, is a gap.
 */
/** One metric family, computed at each scrape. Names start with `svc_`; counters end with `_total`. */
export interface MetricCollector<U extends Uses = Uses> {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  /** Upper bounds of a histogram's buckets, ascending. */
  readonly buckets?: readonly number[]
  readonly uses: U
  /** Minimum cache time of the samples of an expensive collector; a slow collection extends it. Default: no cache. */
  readonly keepMs?: number
  /** Figures of the family that are kept over time. */
  readonly series?: readonly MetricSeries[]
  /** One sample per label set. The page omits a family whose collector fails or exceeds its deadline. */
  collect(services: Resolved<U>): Promise<readonly MetricSample[]>
}

export interface MetricSeries {
  /** Stable, lower case with underscores: it is in the API and in the database. */
  readonly name: string
  /** For the legend of a chart. */
  readonly label: string
  readonly unit: 'count' | 'bytes' | 'seconds' | 'usdfc' | 'fil'
  /** Only the samples that have one of these values of each label. Default: all. */
  readonly where?: Readonly<Record<string, readonly string[]>>
}

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  /** A histogram has a distribution, a gauge or counter a number. */
  readonly value: number | Distribution
}

export interface Distribution {
  /** Values in each bucket, not cumulative; the last entry counts the values above every bound. */
  readonly counts: readonly number[]
  readonly sum: number
}

/** Records values into buckets, so that memory does not grow with the number of values. */
export class Histogram implements Distribution {
  readonly counts: number[]
  sum = 0
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = Array(bounds.length + 1).fill(0)
  }

  add(value: number): void {
    const bucket = this.#bounds.findIndex((bound) => value <= bound)
    const index = bucket === -1 ? this.#bounds.length : bucket
    this.counts[index] = (this.counts[index] ?? 0) + 1
    this.sum += value
  }
}

export const metricCollectors = defineExtensionPoint<MetricCollector>('metrics.collectors')

export const defineMetric = <const U extends Uses>(spec: MetricCollector<U>): MetricCollector => spec

/** Memory with a budget, by use: what `svc_memory_budget_bytes` and `svc_memory_used_bytes` show. */
export interface MemoryUse {
  readonly budgetBytes: number
  /** Is undefined where it cannot be measured. */
  readonly usedBytes: number | undefined
}

interface MemoryPart<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** Keys are the values of the label `part`. */
  read(services: Resolved<U>): Readonly<Record<string, MemoryUse>> | Promise<Readonly<Record<string, MemoryUse>>>
}

export const memoryParts = defineExtensionPoint<MemoryPart>('metrics.memory-parts')

export const defineMemoryPart = <const U extends Uses>(part: MemoryPart<U>): MemoryPart => part
