import { Counter, type Metric, Registry } from 'prom-client'
import { type Log, singleFlight } from '#kernel'
import type { ContributedItem, MetricCollector } from '#kernel/system'
import type { Collections } from './collections.ts'
import { processMetrics } from './process-metrics.ts'
import { toMetric } from './to-metric.ts'

/** All contributed metrics as one text. A family that cannot be collected is omitted; the others stay. */
export interface MetricsPage {
  readonly contentType: string
  /** Concurrent calls share one page. Failures of collectors do not reject it. */
  render(): Promise<string>
}

interface MetricsDeps {
  readonly collectors: () => readonly ContributedItem<MetricCollector>[]
  readonly collections: Collections
  readonly log: Log
}

/** An expensive collector runs at most 5 % of the time. */
const restFactor = 20

export function createMetricsPage({ collectors, collections, log }: MetricsDeps): MetricsPage {
  const failures = new Map<string, number>()

  async function collect(family: ContributedItem<MetricCollector>): Promise<Metric | undefined> {
    try {
      return toMetric(family.item, await collections.samplesOf(family, restFactor))
    } catch (error) {
      recordFailure(family, error)
      return undefined
    }
  }

  function recordFailure({ item, pluginId }: ContributedItem<MetricCollector>, error: unknown): void {
    failures.set(item.name, (failures.get(item.name) ?? 0) + 1)
    log.warn('metric collection failed', { metric: item.name, plugin: pluginId, error })
  }

  async function render(): Promise<string> {
    const registry = new Registry()
    const failureMetric = new Counter({ ...failureFamily, registers: [registry] })
    const families = await Promise.all(collectors().map(async (family) => ({ family, metric: await collect(family) })))
    for (const { family, metric } of families) {
      if (metric === undefined) continue
      if (registry.getSingleMetric(family.item.name)) recordFailure(family, new Error('duplicate metric name'))
      else registry.registerMetric(metric)
    }
    for (const [metric, times] of failures) failureMetric.inc({ metric }, times)
    return `${await registry.metrics()}\n${await processMetrics().metrics()}`
  }

  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    render: singleFlight(render),
  }
}

const failureFamily = {
  name: 'svc_metrics_failures_total',
  help: 'Times a metric family was omitted from this page, by its name.',
  labelNames: ['metric'],
} as const
