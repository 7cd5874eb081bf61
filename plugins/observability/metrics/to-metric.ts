import { Counter, Gauge, type Metric } from 'prom-client'
import type { Distribution, MetricCollector, MetricSample } from '#kernel/system'

/** Throws on a label that the family does not declare, on a negative counter and on a value that does not fit the family's type. */
export function toMetric(family: MetricCollector, samples: readonly MetricSample[]): Metric {
  const { name, help, type, labels } = family
  const options = { name, help, labelNames: labels, registers: [] }
  switch (type) {
    case 'gauge': {
      const gauge = new Gauge(options)
      for (const sample of samples) gauge.set(sample.labels, toNumber(sample))
      return gauge
    }
    case 'counter': {
      const counter = new Counter(options)
      for (const sample of samples) counter.inc(sample.labels, toNumber(sample))
      return counter
    }
    case 'histogram':
      return toHistogram(family, samples)
  }
}

/** prom-client's own Histogram can only observe values one by one, so this object has the members that its Registry reads. */
function toHistogram({ name, help, labels, buckets = [] }: MetricCollector, samples: readonly MetricSample[]): Metric {
  const values = samples.flatMap((sample) => {
    const unknown = Object.keys(sample.labels).find((label) => !labels.includes(label))
    if (unknown !== undefined) throw new Error(`the family does not declare the label '${unknown}'`)
    return histogramLines(name, { labels: sample.labels, buckets, distribution: toDistribution(sample, buckets) })
  })
  return { name, get: async () => ({ name, help, type: 'histogram', values }) } as unknown as Metric
}

interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly buckets: readonly number[]
  readonly distribution: Distribution
}

/** The text format has cumulative buckets. */
function histogramLines(name: string, { labels, buckets, distribution: { counts, sum } }: Series) {
  let count = 0
  const lines = counts.map((inBucket, index) => {
    count += inBucket
    return { metricName: `${name}_bucket`, labels: { ...labels, le: String(buckets[index] ?? '+Inf') }, value: count }
  })
  return [...lines, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: count }]
}

function toNumber({ value }: MetricSample): number {
  if (typeof value !== 'number') throw new Error('a gauge or counter needs a number')
  return value
}

function toDistribution({ value }: MetricSample, buckets: readonly number[]): Distribution {
  if (typeof value === 'number' || value.counts.length !== buckets.length + 1) {
    throw new Error(`a histogram with ${buckets.length} buckets needs a distribution with ${buckets.length + 1} counts`)
  }
  return value
}
