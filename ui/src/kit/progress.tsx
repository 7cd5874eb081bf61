import { component$ } from '@builder.io/qwik'
import { formatPercent } from './format/counts.ts'
import { type Tone, toneText } from './tone.ts'

interface ProgressProps {
  /** Name for screen readers. */
  label: string
  value?: number | undefined
  /** Absent while the total is unknown: a moving bar without a percentage. */
  max?: number | undefined
  /** `12.0 MiB of 1.0 GiB` */
  text?: string | undefined
  tone?: Tone | undefined
}

/** Progress of a known or unknown total. */
export const Progress = component$<ProgressProps>(({ label, value, max, text, tone }) => {
  const known = value !== undefined && max !== undefined && max > 0
  return (
    <div class="min-w-0">
      {known ? (
        <progress aria-label={label} class={['kit-progress', tone && toneText[tone]]} value={value} max={max} />
      ) : (
        <div role="progressbar" aria-label={label} class="h-1.5 overflow-hidden rounded-full bg-line">
          <div class="kit-sweep h-full w-1/3 rounded-full bg-c1" />
        </div>
      )}
      {(text ?? known) && (
        <div class="mt-1 flex justify-between gap-3 text-xs text-muted">
          <span class="truncate">{text}</span>
          {known && <span>{formatPercent(value, max)}</span>}
        </div>
      )}
    </div>
  )
})
