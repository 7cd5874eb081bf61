/** Figures over time. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

/** Most series, steps, and values of all series in one answer. */
export const seriesAnswerLimits = { namesMax: 32, stepsMax: 4320, valuesMax: 40_000 } as const

const described = {
  name: 'string',
  /** For the legend of a chart. */
  label: 'string',
  unit: "'count' | 'bytes' | 'seconds' | 'usdfc' | 'fil'",
  /** True: a rate, in units per second. */
  per_second: 'boolean',
} as const

export const listSeries = defineEndpoint({
  method: 'GET',
  path: '/api/v1/observability/series/names',
  summary: 'List the time series of the enabled plugins',
  answer: type({ series: type(described).array() }),
})

export const showSeries = defineEndpoint({
  method: 'GET',
  path: '/api/v1/observability/series',
  summary: 'Show figures over time: of the last 24 hours in steps of 20 seconds, of 90 days in hours',
  query: type({
    '+': 'reject',
    /** Separated by commas, at most 32. */
    names: type(/^[a-z0-9_]+(,[a-z0-9_]+){0,31}$/),
    /** An RFC 3339 time, or how long ago: `-90m`, `-24h`, `-90d`. */
    from: 'string',
    /** Seconds: a multiple of 20, and of 3600 when `from` is more than 24 hours ago. */
    step: type('string.integer.parse').to('20 <= number.integer <= 7776000'),
  }),
  answer: type({
    /** Start of the first step, at or before the requested time; a multiple of the step since 1970. */
    from: 'string',
    step_seconds: 'number.integer',
    series: type({
      ...described,
      /** The mean of each step up to the present; null where nothing was measured, such as while the service was stopped. */
      values: type('number | null').array(),
    }).array(),
  }),
  refusals: ['series_unknown', 'series_range_invalid'],
})
