import { clock, defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { readTime } from '#plugins/admin'
import { observabilityErrors } from '../errors.ts'
import type { ShownSeries } from './figures-policy.ts'
import { chooseRange, readAgo } from './range-policy.ts'
import { recorder } from './recorder.ts'
import { seriesAnswerLimits as limits, listSeries, showSeries } from './series-api.ts'

export const seriesRoutes = defineRoutes({
  name: 'series',
  uses: { recorder, clock },
  endpoints: [listSeries, showSeries],
  register(app, { recorder, clock }) {
    serveEndpoint(app, listSeries, async () => ({ series: [...recorder.figures.shown.values()].map(describe) }))

    serveEndpoint(app, showSeries, async ({ query: { names, from, step } }) => {
      const series = [...new Set(names.split(','))].map((name) => {
        const found = recorder.figures.shown.get(name)
        if (!found)
          throw observabilityErrors.series_unknown({ message: `There is no time series ${name}. Read the names from ${listSeries.path}.` })
        return found
      })
      const [nowMs, stepMs] = [clock.now(), step * 1000]
      const fromMs = readAgo(from, nowMs) ?? readTime(from)
      if (fromMs === undefined) throw refuse('from must be an RFC 3339 time, or how long ago, such as -24h')
      const range = chooseRange({ fromMs, stepMs, nowMs })
      if (typeof range === 'string') throw refuse(range)
      const { ring, first, count, perStep } = range
      if (count > limits.stepsMax || count * series.length > limits.valuesMax) {
        throw refuse(`${series.length} series of ${count} steps are too many values; choose a longer step, a later from, or fewer names`)
      }
      const steps = recorder.history.ring(ring)
      const valuesOf = ({ figure, read }: ShownSeries) =>
        Array.from({ length: count }, (_, index) => {
          const measured = steps.read(figure.series.name, (first + index) * perStep, perStep)
          return measured ? toAnswer(read(measured.sums, measured.coveredMs)) : null
        })
      return {
        from: formatTime(first * stepMs),
        step_seconds: step,
        series: series.map((shown) => ({ ...describe(shown), values: valuesOf(shown) })),
      }
    })
  },
})

const describe = ({ name, label, unit, isRate }: ShownSeries) => ({ name, label, unit, per_second: isRate })

const refuse = (why: string) => observabilityErrors.series_range_invalid({ message: `${why[0]?.toUpperCase()}${why.slice(1)}.` })

const digits = 7

/** Means have more digits than were measured. Whole numbers stay exact. */
const toAnswer = (value: number | null): number | null =>
  value === null || Number.isInteger(value) ? value : Number(value.toPrecision(digits))
