import { component$ } from '@builder.io/qwik'
import type { Numeric } from '../kit/format/absent.ts'
import { formatPercent } from '../kit/format/counts.ts'
import { type Tone, toneStroke } from '../kit/tone.ts'
import { toPercent } from './chart-figures.ts'

export interface GaugeProps {
  label: string
  value: Numeric
  max: Numeric
  tone?: Tone | undefined
  /** `2 of 3 copies` */
  text?: string | undefined
  /** Pixels; 72 by default. */
  size?: number | undefined
}

const length = 2 * Math.PI * 15

/** A share as a ring with its figure inside. */
export const Gauge = component$<GaugeProps>(({ label, value, max, tone = 'info', text, size = 72 }) => {
  const shown = formatPercent(value, max)
  return (
    <div class="flex min-w-0 items-center gap-3">
      <svg
        width={size}
        height={size}
        viewBox="0 0 36 36"
        role="img"
        aria-label={`${label}: ${shown}${text ? `, ${text}` : ''}`}
        class="shrink-0"
        fill="none"
        stroke-width="3.5"
      >
        <circle cx="18" cy="18" r="15" class="stroke-line" />
        <circle
          cx="18"
          cy="18"
          r="15"
          class={toneStroke[tone]}
          stroke-dasharray={`${(toPercent(value, max) / 100) * length} ${length}`}
          transform="rotate(-90 18 18)"
        />
        <text x="18" y="18" text-anchor="middle" dominant-baseline="central" class="fill-fg text-[7px] font-semibold" stroke="none">
          {shown}
        </text>
      </svg>
      <div class="min-w-0 text-sm">
        <div class="font-medium">{label}</div>
        {text && <div class="text-xs text-muted">{text}</div>}
      </div>
    </div>
  )
})
