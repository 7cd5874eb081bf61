import { expect, test } from 'vitest'
import { defineMetric } from '#kernel'
import type { ContributedItem, MetricCollector } from '#kernel/system'
import { allRows, createFakeClock, describeOnEngines, type FakeClock, silentLog, type TestDatabase, watchActivity } from '#kernel/testing'
import { createCollections } from '../metrics/collections.ts'
import { observabilityMigrations } from '../migrations/all-migrations.ts'
import { seriesBytesMax } from './history.ts'
import { resolutions } from './range-policy.ts'
import { createRecorder, type Recorder } from './recorder.ts'

const startMs = Date.UTC(2026, 0, 31, 12)
const stepMs = 20_000

/** A counter and a gauge that a test sets. */
function createMetrics() {
  const values = { done: 0, level: undefined as number | undefined, isBroken: false }
  const read = (value: number | undefined) => {
    if (values.isBroken) throw new Error('no answer')
    return value === undefined ? [] : [{ labels: {}, value }]
  }
  const bind = (item: MetricCollector): ContributedItem<MetricCollector> => ({ pluginId: 'test', services: {}, item })
  const families = [
    bind(
      defineMetric({
        name: 'svc_done_total',
        help: '',
        type: 'counter',
        labels: [],
        uses: {},
        series: [{ name: 'done', label: 'Done', unit: 'count' }],
        collect: async () => read(values.done),
      }),
    ),
    bind(
      defineMetric({
        name: 'svc_level',
        help: '',
        type: 'gauge',
        labels: [],
        uses: {},
        series: [{ name: 'level', label: 'Level', unit: 'bytes' }],
        collect: async () => read(values.level),
      }),
    ),
  ]
  return { values, families }
}

interface Setting {
  readonly clock: FakeClock
  readonly database: TestDatabase
  /** Milliseconds by which the wall clock is wrong. */
  readonly wall: { skewMs: number }
}

/** `clock` counts on; the wall clock is skewed from it. */
function createSetting(database: TestDatabase, nowMs = startMs): Setting {
  const activity = watchActivity()
  return { clock: createFakeClock(nowMs, activity.isBusy), database: activity.of(database), wall: { skewMs: 0 } }
}

async function start({ clock, database, wall }: Setting, metrics = createMetrics(), warnings: string[] = []) {
  const wallClock = { now: () => clock.now() + wall.skewMs, sleep: clock.sleep }
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
  const recorder = createRecorder({
    families: () => metrics.families,
    collections: createCollections(wallClock),
    database,
    clock: wallClock,
    log,
    monotonicMs: () => clock.now(),
  })
  recorder.start()
  await clock.advance(0)
  return { recorder, ...metrics, warnings }
}

/** What the API shows of one base step. */
function show(recorder: Recorder, name: string, atMs: number, ring: keyof typeof resolutions = 'fine'): number | null {
  const shown = recorder.figures.shown.get(name) ?? expect.fail(`no series ${name}`)
  const measured = recorder.history.ring(ring).read(name, Math.floor(atMs / resolutions[ring].stepMs), 1)
  return measured ? shown.read(measured.sums, measured.coveredMs) : null
}

const schemas = [{ name: 'observability', migrations: observabilityMigrations }]

await describeOnEngines('the recorder', ({ open }) => {
  test('a counter becomes a rate and a gauge a mean, in steps and in hours', async () => {
    await using database = await open(schemas)
    const setting = createSetting(database)
    const { recorder, values } = await start(setting)
    await using _ = recorder
    values.level = 10
    await setting.clock.advance(stepMs)
    values.done = 40
    values.level = 30
    await setting.clock.advance(stepMs)
    expect([0, 1, 2].map((step) => show(recorder, 'done', startMs + step * stepMs))).toEqual([0, 2, null])
    expect([0, 1].map((step) => show(recorder, 'level', startMs + step * stepMs))).toEqual([null, 30])
    expect(show(recorder, 'done', startMs, 'hours')).toBe(1)
  })

  test('what ran before the first measurement is no rate', async () => {
    await using database = await open(schemas)
    const setting = createSetting(database)
    const metrics = createMetrics()
    metrics.values.done = 1_000_000
    const { recorder } = await start(setting, metrics)
    await using _ = recorder
    await setting.clock.advance(stepMs)
    expect(show(recorder, 'done', startMs)).toBe(0)
  })

  test('a restart shows the earlier steps again, a gap while it was stopped, and no fall of its counters', async () => {
    await using database = await open(schemas)
    const setting = createSetting(database)
    const first = await start(setting)
    first.values.done = 20
    await setting.clock.advance(stepMs)
    await first.recorder[Symbol.asyncDispose]()
    await setting.clock.advance(10 * stepMs)
    const second = await start(setting)
    await using _ = second.recorder
    second.values.done = 60
    await setting.clock.advance(stepMs)
    const steps = [0, 1, 5, 10, 11].map((step) => show(second.recorder, 'done', startMs + step * stepMs))
    expect(steps).toEqual([1, null, null, null, 3])
    // Both parts of the hour, and not the time between.
    expect(show(second.recorder, 'done', startMs, 'hours')).toBe(80 / 40)
  })

  test('a killed process loses at most the last five minutes', async () => {
    await using database = await open(schemas)
    const setting = createSetting(database)
    const first = await start(setting)
    await using _first = first.recorder
    for (let step = 0; step < 40; step++) {
      first.values.done += 20
      await setting.clock.advance(stepMs)
    }
    // The first one is not disposed: only what is in the database is left.
    const second = await start(createSetting(database, setting.clock.now()))
    await using _second = second.recorder
    const kept = Array.from({ length: 40 }, (_, step) => show(second.recorder, 'done', startMs + step * stepMs))
    expect(kept.indexOf(null)).toBeGreaterThanOrEqual(40 - resolutions.fine.stepsPerRow)
    expect(kept.slice(0, 25)).toEqual(Array(25).fill(1))
  })

  test('the rows of a table are as many as its slots', async () => {
    await using database = await open(schemas)
    const setting = createSetting(database)
    const { recorder, values } = await start(setting)
    await using _ = recorder
    // Jumps of the clock pass the slots of the whole ring more than once.
    for (let times = 0; times < 400; times++) {
      values.done += 1
      setting.wall.skewMs += 7 * 24 * 3_600_000 + 300_000
      await setting.clock.advance(stepMs)
    }
    const counts = await allRows(database.read, 'select step_ms, count(*) as n from series_steps group by step_ms order by step_ms')
    expect(counts.length).toBe(2)
    expect(Number(counts[0]?.n)).toBeLessThanOrEqual(288)
    expect(Number(counts[1]?.n)).toBeLessThanOrEqual(2160)
    expect(recorder.history.bytes).toBeLessThan(seriesBytesMax)
  })

  test('a family that fails leaves a gap, is logged once, and its counter goes on without a jump', async () => {
    await using database = await open(schemas)
    const setting = createSetting(database)
    const { recorder, values, warnings } = await start(setting)
    await using _ = recorder
    await setting.clock.advance(stepMs)
    values.isBroken = true
    await setting.clock.advance(3 * stepMs)
    values.isBroken = false
    values.done = 1000
    await setting.clock.advance(stepMs)
    values.done = 1020
    await setting.clock.advance(stepMs)
    expect([0, 1, 2, 3, 4, 5].map((step) => show(recorder, 'done', startMs + step * stepMs))).toEqual([0, null, null, null, null, 1])
    expect(warnings).toEqual(Array(2).fill('a metric is missing in the time series until it can be collected again'))
  })

  test.each([
    ['back by an hour', -3_600_000],
    ['back by 19.9 seconds', -19_900],
    ['forwards by 15 seconds', 15_000],
    ['forwards by a year', 365 * 24 * 3_600_000],
  ])('a clock that steps %s makes no rate that was not there', async (_name, skewMs) => {
    await using database = await open(schemas)
    const setting = createSetting(database)
    const { recorder, values } = await start(setting)
    await using _ = recorder
    const run = async (steps: number) => {
      for (let quarter = 0; quarter < 4 * steps; quarter++) {
        values.done += 5
        await setting.clock.advance(stepMs / 4)
      }
    }
    await run(5)
    setting.wall.skewMs = skewMs
    await run(5)
    setting.wall.skewMs = 0
    await run(5)
    for (const from of [startMs, startMs + skewMs]) {
      const rates = Array.from({ length: 17 }, (_, step) => show(recorder, 'done', from + step * stepMs)).filter((rate) => rate !== null)
      expect(rates.length).toBeGreaterThan(3)
      // A measurement in the middle of a quarter may count it earlier or later.
      for (const rate of rates) expect(rate).toBeCloseTo(1, 0)
    }
  })
})
