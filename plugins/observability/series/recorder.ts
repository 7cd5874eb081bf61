import { type Clock, type Database, defineRecovery, defineService, type Log } from '#kernel'
import type { ContributedItem, MetricCollector } from '#kernel/system'
import { defineMemoryPart } from '#kernel/system'
import type { Collections } from '../metrics/collections.ts'
import { type Figures, readColumns, readFigures, readIncrease } from './figures-policy.ts'
import { arraysMax, History, type Measured, resolutions, seriesBytesMax } from './history.ts'

/** Measures the figures of all metrics that have a `series`, every 20 seconds, and keeps them. */
export interface Recorder extends AsyncDisposable {
  /** Begins to measure. Call when all services exist. */
  start(): void
  readonly figures: Figures
  readonly history: Pick<History, 'ring' | 'bytes'>
}

export const recorder = defineService<Recorder>('observability.recorder')

interface RecorderDeps {
  readonly families: () => readonly ContributedItem<MetricCollector>[]
  readonly collections: Collections
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds that no step of the wall clock changes. */
  readonly monotonicMs?: () => number
}

const { stepMs } = resolutions.fine
const saveEveryMs = resolutions.fine.stepMs * resolutions.fine.stepsPerRow
/** An expensive collector runs at most 1 % of the time for the series. */
const rest = 100

interface Reading {
  readonly atMs: number
  readonly columns: readonly number[]
}

export function createRecorder({ families, collections, database, clock, log, monotonicMs = () => Math.round(performance.now()) }: RecorderDeps): Recorder {
  const history = new History()
  const stop = new AbortController()
  const before = new Map<string, Reading>()
  const failing = new Set<string>()
  let figures: Figures = { kept: [], shown: new Map(), problems: [] }
  let measuredAtMs: number | undefined
  let savedAtMs = 0
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    figures = readFigures(families(), arraysMax)
    if (figures.problems.length > 0) log.warn('time series left out', { problems: figures.problems })
    await restore()
    await measure()
    while (await sleepToNextStep()) {
      await measure()
      if (Math.abs(clock.now() - savedAtMs) >= saveEveryMs) await save()
    }
  }

  async function restore(): Promise<void> {
    try {
      await history.restore(database, clock.now(), new Map(figures.kept.map(({ series, columns }) => [series.name, columns])))
    } catch (error) {
      log.warn('the time series of earlier starts could not be read; they begin anew', { error })
    }
    savedAtMs = clock.now()
  }

  async function sleepToNextStep(): Promise<boolean> {
    const restMs = stepMs - (clock.now() % stepMs)
    try {
      // A timer may fire a little early: the step must not be measured twice.
      await clock.sleep(restMs < stepMs / 2 ? restMs + stepMs : restMs, stop.signal)
    } catch {
      // Stopped.
    }
    return !stop.signal.aborted
  }

  /** Adds what was measured since the last time. The first time, and the first one of a family, is the base of its counters. */
  async function measure(): Promise<void> {
    const kept = new Set(figures.kept.map(({ family }) => family))
    const measured = await Promise.all([...kept].map(measureFamily))
    const nowMs = monotonicMs()
    const elapsedMs = measuredAtMs === undefined ? 0 : nowMs - measuredAtMs
    measuredAtMs = nowMs
    // The middle of the measured time: it ends at the end of a step, or a little later.
    history.add(clock.now() - Math.min(elapsedMs, stepMs) / 2, measured.flat())
  }

  const figuresOf = (family: ContributedItem<MetricCollector>) => figures.kept.filter((figure) => figure.family === family)

  async function measureFamily(family: ContributedItem<MetricCollector>): Promise<readonly Measured[]> {
    const { name, type } = family.item
    try {
      const samples = await collections.samplesOf(family, rest)
      const atMs = monotonicMs()
      failing.delete(name)
      return figuresOf(family).flatMap((figure) => {
        const key = figure.series.name
        const earlier = before.get(key)
        before.delete(key)
        const columns = readColumns(figure, samples)
        if (columns === undefined) return []
        before.set(key, { atMs, columns })
        return earlier === undefined ? [] : toMeasured(key, { earlier, atMs, columns, isGauge: type === 'gauge' })
      })
    } catch (error) {
      for (const { series } of figuresOf(family)) before.delete(series.name)
      if (!failing.has(name)) log.warn('a metric is missing in the time series until it can be collected again', { metric: name, error })
      failing.add(name)
      return []
    }
  }

  async function save(): Promise<void> {
    savedAtMs = clock.now()
    try {
      await history.save(database)
    } catch (error) {
      log.warn('time series not written; will retry', { error })
    }
  }

  return {
    history,
    get figures() {
      return figures
    },
    start() {
      running ??= run().catch((error) => log.error('time series ended', { error }))
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      if (running === undefined) return
      await running
      await measure()
      await save()
    },
  }
}

interface Change extends Reading {
  readonly earlier: Reading
  readonly isGauge: boolean
}

/** A gauge counts for the time since it was read before, a counter with what it has counted in that time. */
function toMeasured(name: string, { earlier, atMs, columns, isGauge }: Change): readonly Measured[] {
  const coveredMs = atMs - earlier.atMs
  const sums = isGauge ? columns.map((value) => value * coveredMs) : readIncrease(earlier.columns, columns)
  return sums === undefined || coveredMs <= 0 ? [] : [{ name, coveredMs, sums }]
}

/** All services exist then. */
export const startRecorder = defineRecovery({
  name: 'time series',
  uses: { recorder },
  run: async ({ recorder }) => recorder.start(),
})

export const seriesMemory = defineMemoryPart({
  name: 'time series',
  uses: { recorder },
  read: ({ recorder }) => ({ time_series: { budgetBytes: seriesBytesMax, usedBytes: recorder.history.bytes } }),
})
