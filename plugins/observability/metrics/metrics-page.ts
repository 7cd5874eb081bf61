/** All contributed metrics as one text. A family that cannot be collected costs only itself. */
import { Counter, Gauge, type Metric, Registry } from 'prom-client'
import type { Clock, ContributedItem, Log, MetricCollector, MetricSample } from '#kernel'
import { processMetrics } from './process-metrics.ts'

export interface MetricsPage {
  readonly contentType: string
  /** Calls at the same time share one page. Never rejects because of a collector. */
  render(): Promise<string>
}

export interface MetricsDoors {
  readonly collectors: () => readonly ContributedItem<MetricCollector>[]
  readonly clock: Clock
  readonly log: Log
}

/** Below the ten seconds that scrapers usually wait for a page. */
const collectMs = 5000
/** A collector that keeps its samples rests this many times as long as it worked, so that it takes at most a twentieth of the time. */
const restFactor = 20

interface Asked {
  readonly samples: Promise<readonly MetricSample[]>
  untilMs: number
}

export function createMetricsPage({ collectors, clock, log }: MetricsDoors): MetricsPage {
  const asked = new Map<MetricCollector, Asked>()
  const failures = new Map<string, number>()
  let rendering: Promise<string> | undefined

  /** Asks again only when the samples are old, and never while an earlier call is still running. */
  function ask({ item, services }: ContributedItem<MetricCollector>): Promise<readonly MetricSample[]> {
    const earlier = asked.get(item)
    if (earlier && clock.now() < earlier.untilMs) return earlier.samples
    const startedAtMs = clock.now()
    const asking: Asked = { samples: Promise.try(() => item.collect(services as never)), untilMs: Number.POSITIVE_INFINITY }
    asked.set(item, asking)
    const end = (keepMs: number) => {
      asking.untilMs = clock.now() + keepMs
    }
    asking.samples.then(
      () => end(item.keepMs === undefined ? 0 : Math.max(item.keepMs, restFactor * (clock.now() - startedAtMs))),
      () => end(0),
    )
    return asking.samples
  }

  async function collect(from: ContributedItem<MetricCollector>): Promise<Metric | undefined> {
    try {
      return toMetric(from.item, await inTime(ask(from), clock))
    } catch (error) {
      // The page is what shows that something is wrong: the other families stay on it.
      leaveOut(from, error)
      return undefined
    }
  }

  function leaveOut({ item, pluginId }: ContributedItem<MetricCollector>, error: unknown): void {
    failures.set(item.name, (failures.get(item.name) ?? 0) + 1)
    log.warn('a metric could not be collected', { metric: item.name, plugin: pluginId, error })
  }

  async function render(): Promise<string> {
    const registry = new Registry()
    const leftOut = new Counter({ ...failureFamily, registers: [registry] })
    const families = await Promise.all(collectors().map(async (from) => ({ from, metric: await collect(from) })))
    for (const { from, metric } of families) {
      if (metric === undefined) continue
      if (registry.getSingleMetric(from.item.name)) leaveOut(from, new Error('the page has a family of this name already'))
      else registry.registerMetric(metric)
    }
    for (const [metric, times] of failures) leftOut.inc({ metric }, times)
    return `${await registry.metrics()}\n${await processMetrics().metrics()}`
  }

  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    render() {
      rendering ??= render().finally(() => {
        rendering = undefined
      })
      return rendering
    },
  }
}

const failureFamily = {
  name: 'svc_metrics_failures_total',
  help: 'How often a family had to be left out of this page, by its name.',
  labelNames: ['metric'],
} as const

/** Throws on a label that the family does not have, and on a counter below zero. */
function toMetric({ name, help, type, labels }: MetricCollector, samples: readonly MetricSample[]): Metric {
  const options = { name, help, labelNames: labels, registers: [] }
  if (type === 'gauge') {
    const gauge = new Gauge(options)
    for (const sample of samples) gauge.set(sample.labels, sample.value)
    return gauge
  }
  const counter = new Counter(options)
  for (const sample of samples) counter.inc(sample.labels, sample.value)
  return counter
}

async function inTime<T>(work: Promise<T>, clock: Clock): Promise<T> {
  const stop = new AbortController()
  const late = clock.sleep(collectMs, stop.signal).then(() => {
    throw new Error(`no samples within ${collectMs / 1000} s`)
  })
  // The loser of the race must not surface as an unhandled rejection.
  late.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    stop.abort()
  }
}
