import { defineExtensionPoint } from './extension-point.ts'
import type { Resolved, Uses } from './service.ts'

/** One family of metrics, computed when it is scraped. Names start with `svc_`; counters end with `_total`. */
export interface MetricCollector<U extends Uses = Uses> {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  readonly labels: readonly string[]
  readonly uses: U
  /** For what is dear to count: samples are used again for this long, and longer when counting took long. Default: not at all. */
  readonly keepMs?: number
  /** One sample per label set. A family that is late or fails is left out of the page. */
  collect(services: Resolved<U>): Promise<readonly MetricSample[]>
}

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export const metricCollectors = defineExtensionPoint<MetricCollector>('metrics.collectors')

export function defineMetric<const U extends Uses>(spec: MetricCollector<U>): MetricCollector {
  return spec as unknown as MetricCollector
}
