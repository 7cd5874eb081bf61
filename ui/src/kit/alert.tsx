import { component$, type QRL, Slot } from '@builder.io/qwik'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { type Tone, toneBox, toneIcons } from './tone.ts'

interface AlertProps {
  tone?: Tone | undefined
  title?: string | undefined
  /** Announced at once; for errors that appear after an action. */
  live?: boolean | undefined
  /** Shows a button that hides it. */
  onDismiss$?: QRL<() => void> | undefined
}

/** A message within a page. Slots: default (text), `actions`. */
export const Alert = component$<AlertProps>(({ tone = 'info', title, live, onDismiss$ }) => (
  <div
    role={live ? 'alert' : 'note'}
    class={['flex min-w-0 items-start gap-3 rounded-md border px-3.5 py-3 text-sm [overflow-wrap:anywhere]', toneBox[tone]]}
  >
    <Icon name={toneIcons[tone]} size={18} class="mt-px" />
    <div class="flex min-w-0 flex-1 flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div class="min-w-0 flex-1 basis-60">
        {title && <p class="font-semibold">{title}</p>}
        <div class="text-fg">
          <Slot />
        </div>
      </div>
      <div class="flex shrink-0 flex-wrap gap-2 empty:hidden">
        <Slot name="actions" />
      </div>
    </div>
    {onDismiss$ && <IconButton icon="x" label="Dismiss" size="sm" onClick$={onDismiss$} />}
  </div>
))

/** A message above the page, across its full width. Slots as in Alert. */
export const Banner = component$<Omit<AlertProps, 'live'>>(({ tone = 'warning', title, onDismiss$ }) => (
  <section aria-label={title ?? 'Notice'} class={['flex min-w-0 items-center gap-3 border-b px-4 py-2 text-sm', toneBox[tone]]}>
    <Icon name={toneIcons[tone]} />
    <div class="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 [overflow-wrap:anywhere]">
      {title && <strong class="font-semibold">{title}</strong>}
      <span class="min-w-0 text-fg">
        <Slot />
      </span>
    </div>
    <div class="flex shrink-0 items-center gap-2 empty:hidden">
      <Slot name="actions" />
    </div>
    {onDismiss$ && <IconButton icon="x" label="Dismiss" size="sm" onClick$={onDismiss$} />}
  </section>
))
