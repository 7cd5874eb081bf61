import { component$, Slot } from '@builder.io/qwik'
import type { BoundProps } from '../bound.ts'

export interface ToggleProps extends BoundProps<boolean> {
  label: string
  help?: string | undefined
  disabled?: boolean | undefined
  /** Why it cannot be changed; switches it off. */
  lockedReason?: string | undefined
  name?: string | undefined
}

/** A control with its label at the right, help below. The whole row can be clicked. */
export const ToggleRow = component$<Pick<ToggleProps, 'label' | 'help' | 'lockedReason'>>(({ label, help, lockedReason }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is in the slot
  <label class="flex min-h-6 min-w-0 items-start gap-2.5 text-sm">
    <Slot />
    <span class="min-w-0 [overflow-wrap:anywhere]">
      {label}
      {(lockedReason ?? help) && <span class="mt-0.5 block text-xs text-muted">{lockedReason ?? help}</span>}
    </span>
  </label>
))
