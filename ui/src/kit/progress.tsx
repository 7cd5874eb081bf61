import { component$ } from '@builder.io/qwik'
import { formatPercent } from './format/counts.ts'
import { type Tone, toneText } from './tone.ts'

export interface ProgressProps {
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

/** A spinner for work of unknown length inside a line of text. */
export const Spinner = component$<{ label?: string | undefined }>(({ label = 'Loading' }) => (
  <span role="status" class="inline-flex items-center gap-2 text-muted">
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true" class="kit-spin">
      <circle cx="8" cy="8" r="6" stroke-opacity="0.25" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke-linecap="round" />
    </svg>
    <span class="sr-only">{label}</span>
  </span>
))
