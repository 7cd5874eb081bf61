import { defineExtensionPoint } from './extension-point.ts'
import type { Resolved, Uses } from './service.ts'

/** One metric family, computed when it is scraped. Names start with `svc_`; counters end with `_total`. */
export interface MetricCollector<U extends Uses = Uses> {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  readonly labels: readonly string[]
  readonly uses: U
  /** One sample per label set. */
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
