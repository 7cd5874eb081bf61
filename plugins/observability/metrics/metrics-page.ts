import { Counter, type Metric, Registry } from 'prom-client'
import { type Clock, type Log, singleFlight, within } from '#kernel'
import type { ContributedItem, MetricCollector, MetricSample } from '#kernel/system'
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
  readonly clock: Clock
  readonly log: Log
}

/** Below the usual scrape timeout of ten seconds. */
const collectMs = 5000
/** A collector with `keepMs` is called again after at least this many times its own duration: at most 5 % of the time. */
const restFactor = 20

interface Collection {
  readonly samples: Promise<readonly MetricSample[]>
  /** When the samples become stale; infinite while the collector runs. */
  staleAtMs: number
}

export function createMetricsPage({ collectors, clock, log }: MetricsDeps): MetricsPage {
  const collections = new Map<MetricCollector, Collection>()
  const failures = new Map<string, number>()

  /** Calls the collector only when its samples are stale, and at most once at a time. */
  function samplesOf({ item, services }: ContributedItem<MetricCollector>): Promise<readonly MetricSample[]> {
    const earlier = collections.get(item)
    if (earlier && clock.now() < earlier.staleAtMs) return earlier.samples
    const startedAtMs = clock.now()
    const collection: Collection = {
      samples: Promise.try(() => item.collect(services)),
      staleAtMs: Number.POSITIVE_INFINITY,
    }
    collections.set(item, collection)
    const keep = (ms: number) => {
      collection.staleAtMs = clock.now() + ms
    }
    collection.samples.then(
      () => keep(item.keepMs === undefined ? 0 : Math.max(item.keepMs, restFactor * (clock.now() - startedAtMs))),
      () => keep(0),
    )
    return collection.samples
  }

  async function collect(family: ContributedItem<MetricCollector>): Promise<Metric | undefined> {
    try {
      return toMetric(family.item, await inTime(samplesOf(family), clock))
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

const inTime = <T>(work: Promise<T>, clock: Clock): Promise<T> =>
  within(
    collectMs,
    work,
    () => {
      throw new Error(`no samples within ${collectMs / 1000} s`)
    },
    clock,
  )
