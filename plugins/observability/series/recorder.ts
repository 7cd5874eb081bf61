import { type Clock, type Database, defineRecovery, defineService, type Log } from '#kernel'
import { type ContributedItem, defineMemoryPart, type MetricCollector } from '#kernel/system'
import type { Collections } from '../metrics/collections.ts'
import { type Figures, readFigures } from './figures-policy.ts'
import { arraysMax, History, seriesBytesMax } from './history.ts'
import { createMeasurement } from './measure.ts'
import { resolutions } from './range-policy.ts'

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

export function createRecorder({
  families,
  collections,
  database,
  clock,
  log,
  monotonicMs = () => performance.now(),
}: RecorderDeps): Recorder {
  const history = new History()
  const stop = new AbortController()
  const measureAll = createMeasurement({ collections, log, monotonicMs })
  let figures: Figures = { kept: [], shown: new Map(), problems: [] }
  let measuredAtMs: number | undefined
  let savedAtMs = 0
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    figures = readFigures(families(), arraysMax)
    if (figures.problems.length > 0) log.warn('time series left out', { problems: figures.problems })
    await restore()
    // Expensive collectors do not run at the start, where a scrape may ask for what follows from the first requests.
    await measure(figures.kept.filter(({ family }) => family.item.keepMs === undefined))
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

  async function measure(measuredNow = figures.kept): Promise<void> {
    const measured = await measureAll(measuredNow)
    const nowMs = monotonicMs()
    const elapsedMs = nowMs - (measuredAtMs ?? nowMs)
    measuredAtMs = nowMs
    // The middle of the measured time: it ends at the end of a step, or a little later.
    history.add(clock.now() - Math.min(elapsedMs, stepMs) / 2, measured)
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
