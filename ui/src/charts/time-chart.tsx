import { component$, type NoSerialize, noSerialize, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import type uPlot from 'uplot'
import { type ChartUnit, formatAxisFigure, formatFigure, formatTick, toAxisSteps, toSeriesFacts } from './chart-figures.ts'
import { ChartFrame } from './chart-frame.tsx'

interface TimeSeries {
  readonly label: string
  /** One per time; null where nothing was measured. */
  readonly values: readonly (number | null)[]
}

interface TimeChartProps {
  label: string
  /** Seconds since 1970, ascending. */
  times: readonly number[]
  /** Up to five: each has a colour and a line pattern of its own. */
  series: readonly TimeSeries[]
  unit: ChartUnit
  /** Pixels; 200 by default. */
  height?: number | undefined
  /** Shown while there is nothing to draw. */
  emptyText?: string | undefined
}

const dashes = ['', '7 4', '2 3', '10 3 2 3', '1 4'] as const
const swatches = ['stroke-c1', 'stroke-c2', 'stroke-c3', 'stroke-c4', 'stroke-c5'] as const

/** Measurements over time. The drawing library loads when the chart comes into view. */
export const TimeChart = component$<TimeChartProps>((props) => {
  const box = useSignal<HTMLDivElement>()
  const plot = useSignal<NoSerialize<uPlot>>()
  const at = useSignal<number | undefined>()
  const failure = useSignal<string>()
  const height = props.height ?? 200
  // biome-ignore lint/correctness/noQwikUseVisibleTask: the library draws on a canvas in the document
  useVisibleTask$(({ track, cleanup }) => {
    const { series, unit } = track(() => ({ series: props.series.map(({ label }) => label), unit: props.unit }))
    let ended = false
    let stop = () => {}
    cleanup(() => {
      ended = true
      stop()
    })
    const draw = async () => {
      try {
        const { drawTimePlot } = await import('./time-plot.ts')
        const element = box.value
        if (ended || !element) return
        stop = drawTimePlot(element, {
          labels: series,
          dashes: series.map((_, index) => (dashes[index] ?? '').split(' ').filter(Boolean).map(Number)),
          height,
          formatValue: (value) => formatAxisFigure(value, unit),
          steps: toAxisSteps(unit),
          formatTime: formatTick,
          data: () => [props.times, ...props.series.map(({ values }) => values)],
          onDraw: (drawn) => {
            plot.value = noSerialize(drawn)
          },
          onPoint: (index) => {
            at.value = index
          },
        })
      } catch (error) {
        // The library refuses browsers with an unusual language setting, and its file may be gone after an update of the gateway.
        failure.value = error instanceof Error ? error.message : String(error)
      }
    }
    void draw()
  })
  // biome-ignore lint/correctness/noQwikUseVisibleTask: new values go to the canvas
  useVisibleTask$(({ track }) => {
    const data = track(() => [props.times, ...props.series.map(({ values }) => values)])
    track(() => plot.value)?.setData(data as uPlot.AlignedData)
  })
  const isEmpty = props.times.length === 0
  return (
    <ChartFrame label={props.label} summary={toSummary(props)} table={toTable(props)} legend={toLegend(props, at.value)}>
      <div ref={box} class={['min-w-0', isEmpty && 'invisible']} style={{ height: `${height}px` }} />
      {(isEmpty || failure.value) && <p class={messageClass}>{toMessage(props.emptyText, failure.value)}</p>}
    </ChartFrame>
  )
})

const messageClass = 'absolute inset-0 flex items-center justify-center px-6 text-center text-sm text-muted'

const toMessage = (emptyText = 'No measurements yet', failure: string | undefined) =>
  failure === undefined ? emptyText : `The chart could not be drawn (${failure}). Reload the page, or view it as table.`

/** Values under the pointer, else the last ones. */
const toLegend = ({ series, unit, times }: TimeChartProps, at: number | undefined) =>
  series.map(({ label, values }, index) => ({
    label,
    swatch: swatches[index] ?? 'stroke-c5',
    dash: dashes[index] ?? '',
    value: times.length === 0 ? undefined : formatFigure(values[at ?? values.length - 1], unit),
  }))

const toSummary = ({ series, unit, times }: TimeChartProps) =>
  times.length === 0
    ? 'No measurements yet.'
    : series
        .map(({ label, values }) => {
          const facts = toSeriesFacts(values)
          if (!facts) return `${label}: no measurements.`
          return `${label}: ${formatFigure(facts.min, unit)} to ${formatFigure(facts.max, unit)}, last ${formatFigure(facts.last, unit)}.`
        })
        .join(' ')

const tableRows = 60

/** The latest first. */
const toTable = ({ series, unit, times }: TimeChartProps) => ({
  columns: ['Time', ...series.map(({ label }) => label)],
  rows: times
    .map((time, index) => [
      new Date(time * 1000).toISOString().slice(0, 19).replace('T', ' '),
      ...series.map(({ values }) => formatFigure(values[index], unit)),
    ])
    .slice(-tableRows)
    .reverse(),
})
