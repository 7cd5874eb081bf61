import { component$, type JSXOutput } from '@builder.io/qwik'
import { Ago } from './figures.tsx'
import type { Time } from './format/times.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'
import { type Tone, toneBox } from './tone.ts'

export interface TimelineEntry {
  readonly id: string
  readonly title: JSXOutput
  readonly time?: Time | null | undefined
  readonly text?: JSXOutput | undefined
  readonly tone?: Tone | undefined
  readonly icon?: IconName | undefined
}

/** What happened, newest first by convention. */
export const Timeline = component$<{ label: string; entries: readonly TimelineEntry[] }>(({ label, entries }) => (
  <ol aria-label={label} class="flex flex-col">
    {entries.map(({ id, title, time, text, tone = 'neutral', icon = 'circle' }, index) => (
      <li key={id} class="relative flex min-w-0 gap-3 pb-4 last:pb-0">
        {index < entries.length - 1 && <span aria-hidden="true" class="absolute top-7 bottom-0 left-3 w-px bg-line" />}
        <span class={['flex size-6 shrink-0 items-center justify-center rounded-full border', toneBox[tone]]}>
          <Icon name={icon} size={13} />
        </span>
        <div class="min-w-0 flex-1 pt-0.5 text-sm [overflow-wrap:anywhere]">
          <div class="flex flex-wrap items-baseline justify-between gap-x-4">
            <span class="min-w-0 font-medium">{title}</span>
            {time !== undefined && (
              <span class="text-xs text-muted">
                <Ago time={time} />
              </span>
            )}
          </div>
          {text && <div class="mt-0.5 text-muted">{text}</div>}
        </div>
      </li>
    ))}
  </ol>
))
