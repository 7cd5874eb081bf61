import { component$, Slot } from '@builder.io/qwik'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'
import { Skeleton } from './skeleton.tsx'
import { type Tone, toneText } from './tone.ts'

interface CardProps {
  title?: string | undefined
  /** Short text at the right of the title. */
  note?: string | undefined
  /** No padding around the content, as for a table that reaches the edges. */
  flush?: boolean | undefined
  class?: string | undefined
}

/** A panel. Slots: default, `actions` (right of the title), `footer`. */
export const Card = component$<CardProps>(({ title, note, flush, class: extra }) => (
  <section aria-label={title} class={['flex min-w-0 flex-col rounded-lg border bg-panel', extra]}>
    {title && (
      <header class="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 pt-3 pb-1">
        <h2 class="text-sm font-semibold">{title}</h2>
        <div class="flex items-center gap-2 text-xs text-muted">
          {note}
          <Slot name="actions" />
        </div>
      </header>
    )}
    <div class={['min-w-0 flex-1', flush ? '' : 'px-4 pt-2 pb-4']}>
      <Slot />
    </div>
    <Slot name="footer" />
  </section>
))

interface StatCardProps {
  label: string
  /** Formatted value; undefined while it loads. */
  value: string | undefined
  /** Exact value, in the title of the figure. */
  exact?: string | undefined
  sub?: string | undefined
  subTone?: Tone | undefined
  icon?: IconName | undefined
  /** Makes the card a link. */
  href?: string | undefined
}

/** One figure. Slot: a picture at the bottom, such as a sparkline. */
export const StatCard = component$<StatCardProps>(({ label, value, exact, sub, subTone, icon, href }) => {
  const content = (
    <>
      <div class="flex items-center justify-between gap-2 text-xs font-medium text-muted">
        {label}
        {icon && <Icon name={icon} class="text-muted" />}
      </div>
      <div title={exact} class="mt-1.5 h-8 truncate text-xl font-semibold sm:text-2xl tracking-tight">
        {value === undefined ? <Skeleton class="mt-1 h-6 w-24" /> : value}
      </div>
      <div class={['mt-0.5 min-h-4 text-xs sm:truncate', subTone ? toneText[subTone] : 'text-muted']}>
        {value === undefined ? <Skeleton class="h-3 w-32" /> : sub}
      </div>
    </>
  )
  const box = 'block min-w-0 rounded-lg border bg-panel px-4 py-3.5'
  return href ? (
    <a href={href} class={[box, 'kit-ease hover:border-edge hover:bg-sunken/40']}>
      {content}
      <Slot />
    </a>
  ) : (
    <div class={box}>
      {content}
      <Slot />
    </div>
  )
})
