import { component$ } from '@builder.io/qwik'
import { type ChartUnit, formatFigure, toSeriesFacts } from './chart-figures.ts'

export interface SparklineProps {
  label: string
  values: readonly (number | null)[]
  unit: ChartUnit
  /** The last value is old: its point is hollow and the text says so. */
  stale?: boolean | undefined
  class?: string | undefined
}

const width = 120
const height = 28
const edge = 3

/** The course of a value in a line of text or a card. */
export const Sparkline = component$<SparklineProps>(({ label, values, unit, stale, class: extra }) => {
  const facts = toSeriesFacts(values)
  const points = toPoints(values)
  const last = points.at(-1)
  const text = facts
    ? `${label}: ${formatFigure(facts.min, unit)} to ${formatFigure(facts.max, unit)}, last ${formatFigure(facts.last, unit)}${stale ? ', out of date' : ''}`
    : `${label}: no measurements`
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={text} class={['block h-7 w-30 max-w-full', extra]}>
      <title>{text}</title>
      <polyline
        points={points.map(([x, y]) => `${x},${y}`).join(' ')}
        fill="none"
        class="stroke-c1"
        stroke-width="1.75"
        stroke-linejoin="round"
        stroke-dasharray={stale ? '3 3' : undefined}
      />
      {last && <circle cx={last[0]} cy={last[1]} r="2.6" class={stale ? 'fill-panel stroke-c1' : 'fill-c1 stroke-c1'} stroke-width="1.5" />}
    </svg>
  )
})

/** Gaps are closed: a sparkline shows the course, not each measurement. */
function toPoints(values: readonly (number | null)[]): readonly (readonly [x: number, y: number])[] {
  const facts = toSeriesFacts(values)
  if (!facts) return []
  const range = facts.max - facts.min
  const round = (value: number) => Math.round(value * 10) / 10
  return values.flatMap((value, index) => {
    if (value === null) return []
    const x = edge + (index / Math.max(1, values.length - 1)) * (width - 2 * edge)
    const share = range === 0 ? 0.5 : (value - facts.min) / range
    return [[round(x), round(height - edge - share * (height - 2 * edge))] as const]
  })
}
