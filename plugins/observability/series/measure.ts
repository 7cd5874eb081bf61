/** One measurement of all kept figures: what each has counted, or its level, since it was measured before. */
import type { Log } from '#kernel'
import type { ContributedItem, MetricCollector } from '#kernel/system'
import type { Collections } from '../metrics/collections.ts'
import { type Figure, readColumns, readIncrease } from './figures-policy.ts'
import type { Measured } from './history.ts'

interface MeasureDeps {
  readonly collections: Collections
  readonly log: Log
  /** Milliseconds that no step of the wall clock changes. */
  readonly monotonicMs: () => number
}

interface Reading {
  readonly atMs: number
  readonly columns: readonly number[]
}

/** An expensive collector runs at most 1 % of the time for the series. */
const rest = 100

/** The first measurement of a figure, and the first after a failure, is the base of the next one. */
export function createMeasurement({ collections, log, monotonicMs }: MeasureDeps) {
  const before = new Map<Figure, Reading>()
  const failing = new Set<string>()

  async function measureFamily(family: ContributedItem<MetricCollector>, figures: readonly Figure[]): Promise<readonly Measured[]> {
    const { name } = family.item
    try {
      const samples = await collections.samplesOf(family, rest)
      const atMs = monotonicMs()
      failing.delete(name)
      return figures.flatMap((figure) => {
        const earlier = before.get(figure)
        before.delete(figure)
        const columns = readColumns(figure, samples)
        if (columns === undefined) return []
        before.set(figure, { atMs, columns })
        return earlier === undefined ? [] : toMeasured(figure, earlier, { atMs, columns })
      })
    } catch (error) {
      for (const figure of figures) before.delete(figure)
      if (!failing.has(name)) log.warn('a metric is missing in the time series until it can be collected again', { metric: name, error })
      failing.add(name)
      return []
    }
  }

  return async (figures: readonly Figure[]): Promise<readonly Measured[]> => {
    const byFamily = Map.groupBy(figures, ({ family }) => family)
    return (await Promise.all([...byFamily].map(([family, own]) => measureFamily(family, own)))).flat()
  }
}

/** A gauge counts with its level for the time since it was read before, a counter with what it has counted in that time. */
function toMeasured({ series, family }: Figure, earlier: Reading, { atMs, columns }: Reading): readonly Measured[] {
  const coveredMs = atMs - earlier.atMs
  const sums = family.item.type === 'gauge' ? columns.map((value) => value * coveredMs) : readIncrease(earlier.columns, columns)
  return sums === undefined || coveredMs <= 0 ? [] : [{ name: series.name, coveredMs, sums }]
}
