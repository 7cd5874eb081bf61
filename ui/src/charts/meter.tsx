import { component$ } from '@builder.io/qwik'
import type { Numeric } from '../kit/format/absent.ts'
import { formatBytes } from '../kit/format/bytes.ts'
import { formatCount, formatPercent } from '../kit/format/counts.ts'
import { toPercent } from './chart-figures.ts'
import { ChartFrame } from './chart-frame.tsx'
import { Segments } from './segments.tsx'
import { type BarPart, fillOf } from './stacked-bar.tsx'

interface Watermark {
  readonly label: string
  readonly value: Numeric
}

interface MeterProps {
  label: string
  /** What fills it, from the left. */
  parts: readonly BarPart[]
  used: Numeric
  max: Numeric
  /** Limits within it, such as where eviction starts and stops. */
  marks?: readonly Watermark[] | undefined
  unit?: 'count' | 'bytes' | undefined
}

/** How full something is, with its limits as ticks. */
export const Meter = component$<MeterProps>(({ label, parts, used, max, marks = [], unit = 'bytes' }) => {
  const format = unit === 'bytes' ? formatBytes : formatCount
  return (
    <ChartFrame
      label={label}
      summary={`${format(used)} of ${format(max)} used, ${formatPercent(used, max)}. ${marks.map((mark) => `${mark.label} at ${format(mark.value)}`).join(', ')}`}
      legend={parts.map((part) => ({ label: part.label, swatch: fillOf(part.color), value: format(part.value) }))}
      table={{
        columns: ['What', unit === 'bytes' ? 'Size' : 'Count', 'Share'],
        rows: [...parts, { label: 'Used', value: used }, ...marks, { label: 'Limit', value: max }].map((row) => [
          row.label,
          format(row.value),
          formatPercent(row.value, max),
        ]),
      }}
    >
      <div class="mb-2 flex items-baseline gap-2">
        <span class="text-2xl font-semibold tracking-tight">{formatPercent(used, max)}</span>
        <span class="text-xs text-muted">
          {format(used)} of {format(max)}
        </span>
      </div>
      <Segments parts={parts.map(({ value, color }) => ({ value, fill: fillOf(color) }))} total={max} height={14} />
      {marks.length > 0 && (
        <>
          <svg width="100%" height="8" aria-hidden="true" class="block overflow-visible">
            {marks.map(({ label: text, value }) => (
              <line
                key={text}
                x1={`${toPercent(value, max)}%`}
                x2={`${toPercent(value, max)}%`}
                y1="-16"
                y2="6"
                class="stroke-fg"
                stroke-width="1.5"
              />
            ))}
          </svg>
          <ul class="flex flex-wrap gap-x-4 text-xs text-muted">
            {marks.map(({ label: text, value }) => (
              <li key={text}>
                {text} <span class="text-fg">{formatPercent(value, max)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </ChartFrame>
  )
})
