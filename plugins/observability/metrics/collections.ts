import { type Clock, defineService, within } from '#kernel'
import type { ContributedItem, MetricCollector, MetricSample } from '#kernel/system'

/** Samples of metric families, shared by the metrics page and the time series. */
export interface Collections {
  /**
   * The samples of a family. An expensive one is collected again after `keepMs` and at least `rest` times the duration of its last
   * collection. Rejects when the collector fails or exceeds its time.
   */
  samplesOf(family: ContributedItem<MetricCollector>, rest: number): Promise<readonly MetricSample[]>
}

export const collections = defineService<Collections>('observability.collections')

/** Below the usual scrape timeout of ten seconds. */
const collectMs = 5000

interface Collection {
  readonly samples: Promise<readonly MetricSample[]>
  readonly startedAtMs: number
  /** Absent while the collector runs. */
  endedAtMs: number | undefined
  isFailed: boolean
}

export function createCollections(clock: Clock): Collections {
  const latest = new Map<MetricCollector, Collection>()

  function isFresh({ keepMs }: MetricCollector, { startedAtMs, endedAtMs, isFailed }: Collection, rest: number): boolean {
    if (endedAtMs === undefined) return true
    if (keepMs === undefined || isFailed) return false
    const ageMs = clock.now() - endedAtMs
    // After a step back of the clock the age says nothing.
    return ageMs >= 0 && ageMs < Math.max(keepMs, rest * (endedAtMs - startedAtMs))
  }

  /** Calls the collector only when its samples are stale, and at most once at a time. */
  function collect({ item, services }: ContributedItem<MetricCollector>, rest: number): Promise<readonly MetricSample[]> {
    const earlier = latest.get(item)
    if (earlier && isFresh(item, earlier, rest)) return earlier.samples
    const collection: Collection = {
      samples: Promise.try(() => item.collect(services)),
      startedAtMs: clock.now(),
      endedAtMs: undefined,
      isFailed: false,
    }
    latest.set(item, collection)
    const end = (isFailed: boolean) => {
      collection.endedAtMs = clock.now()
      collection.isFailed = isFailed
    }
    collection.samples.then(
      () => end(false),
      () => end(true),
    )
    return collection.samples
  }

  return {
    samplesOf: (family, rest) =>
      within(
        collectMs,
        collect(family, rest),
        () => {
          throw new Error(`no samples within ${collectMs / 1000} s`)
        },
        clock,
      ),
  }
}
