import { component$, Slot } from '@builder.io/qwik'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'

interface EmptyProps {
  icon?: IconName | undefined
  title: string
  /** What to do next. */
  text?: string | undefined
}

/** Nothing to show, and what to do next. Slot: buttons or a command. */
export const Empty = component$<EmptyProps>(({ icon = 'package', title, text }) => (
  <div class="flex flex-col items-center gap-3 px-6 py-10 text-center">
    <span class="flex size-11 items-center justify-center rounded-lg border bg-sunken text-muted">
      <Icon name={icon} size={20} />
    </span>
    <div>
      <p class="font-semibold">{title}</p>
      {text && <p class="mx-auto mt-1 max-w-md text-sm text-muted">{text}</p>}
    </div>
    <div class="flex flex-wrap justify-center gap-2 empty:hidden">
      <Slot />
    </div>
  </div>
))
