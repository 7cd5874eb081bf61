/** The drawing of a time chart with uPlot: colours from the tokens, drawn again when the theme or the width changes. */
import 'uplot/dist/uPlot.min.css'
import uPlot from 'uplot'

interface TimePlot {
  readonly labels: readonly string[]
  readonly dashes: readonly (readonly number[])[]
  readonly height: number
  formatValue(value: number): string
  /** Distances between the labels of the values, ascending. */
  readonly steps?: readonly number[] | undefined
  formatTime(seconds: number, rangeSeconds: number): string
  data(): readonly (readonly (number | null)[])[]
  onDraw(plot: uPlot): void
  /** Index under the pointer, undefined when it has left. */
  onPoint(index: number | undefined): void
}

/** @returns ends it */
export function drawTimePlot(box: HTMLElement, plot: TimePlot): () => void {
  let drawn: uPlot | undefined
  const draw = () => {
    drawn?.destroy()
    drawn = new uPlot(toOptions(box, plot), plot.data() as uPlot.AlignedData, box)
    plot.onDraw(drawn)
  }
  draw()
  const themes = new MutationObserver(draw)
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ['class'] })
  const sizes = new ResizeObserver(() => drawn?.setSize({ width: box.clientWidth, height: plot.height }))
  sizes.observe(box)
  return () => {
    themes.disconnect()
    sizes.disconnect()
    drawn?.destroy()
  }
}

function toOptions(box: HTMLElement, plot: TimePlot): uPlot.Options {
  const style = getComputedStyle(box)
  const token = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: token('--muted'),
    grid: { stroke: token('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
  }
  return {
    width: box.clientWidth,
    height: plot.height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    hooks: { setCursor: [({ cursor }) => plot.onPoint(cursor.idx ?? undefined)] },
    scales: { y: { range: (_, min, max) => [Math.min(0, min), max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 72, values: (_, ticks) => formatTicks(ticks, plot) },
      {
        ...axis,
        size: (_, values) => toAxisWidth(values),
        space: 40,
        values: (_, ticks) => ticks.map((tick) => plot.formatValue(tick)),
        ...(plot.steps ? { incrs: [...plot.steps] } : {}),
      },
    ],
    series: [{}, ...plot.labels.map((label, index) => toSeries(label, token(`--c${index + 1}`), plot.dashes[index] ?? [], index))],
  }
}

const formatTicks = (ticks: readonly number[], plot: TimePlot) => {
  const times = plot.data()[0] ?? []
  const range = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return ticks.map((tick) => plot.formatTime(tick, range))
}

const letterWidth = 6.6

/** Room for the longest label, so that no value is cut off. */
const toAxisWidth = (values: readonly string[] | null) => 14 + letterWidth * Math.max(3, ...(values ?? []).map((value) => value.length))

function toSeries(label: string, color: string, dash: readonly number[], index: number): uPlot.Series {
  return {
    label,
    stroke: color,
    width: 2,
    dash: [...dash],
    points: { show: false },
    // Only under the first line: areas on top of each other have no readable colour.
    ...(index === 0 ? { fill: color.replace(')', ' / 0.1)') } : {}),
  }
}
