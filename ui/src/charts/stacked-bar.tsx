import { component$ } from '@builder.io/qwik'
import { type Numeric, toInteger } from '../kit/format/absent.ts'
import { formatBytes } from '../kit/format/bytes.ts'
import { formatCount, formatPercent } from '../kit/format/counts.ts'
import { type Tone, toneFill } from '../kit/tone.ts'
import { ChartFrame } from './chart-frame.tsx'
import { Segments } from './segments.tsx'

export interface BarPart {
  readonly label: string
  readonly value: Numeric
  /** A tone for a state, `c1` to `c5` for a kind. */
  readonly color: Tone | ChartColor
}

type ChartColor = 'c1' | 'c2' | 'c3' | 'c4' | 'c5'

const chartFill: Readonly<Record<ChartColor, string>> = { c1: 'fill-c1', c2: 'fill-c2', c3: 'fill-c3', c4: 'fill-c4', c5: 'fill-c5' }

export const fillOf = (color: Tone | ChartColor): string => (color in chartFill ? chartFill[color as ChartColor] : toneFill[color as Tone])

interface StackedBarProps {
  label: string
  parts: readonly BarPart[]
  /** Whole of the bar; the sum of the parts by default. */
  total?: Numeric | undefined
  unit?: 'count' | 'bytes' | undefined
}

/** Parts of a whole in one bar, with their figures in the legend. */
export const StackedBar = component$<StackedBarProps>(({ label, parts, total, unit = 'count' }) => {
  const format = unit === 'bytes' ? formatBytes : formatCount
  const whole = toInteger(total) ?? sumOf(parts)
  return (
    <ChartFrame
      label={label}
      summary={parts.map((part) => `${part.label}: ${format(part.value)}`).join(', ')}
      legend={parts.map((part) => ({ label: part.label, swatch: fillOf(part.color), value: format(part.value) }))}
      table={{
        columns: ['Part', unit === 'bytes' ? 'Size' : 'Count', 'Share'],
        rows: parts.map((part) => [part.label, format(part.value), formatPercent(part.value, whole)]),
      }}
    >
      <Segments parts={parts.map(({ value, color }) => ({ value, fill: fillOf(color) }))} total={whole} />
    </ChartFrame>
  )
})

const sumOf = (parts: readonly BarPart[]) => parts.reduce((sum, { value }) => sum + (toInteger(value) ?? 0n), 0n)
