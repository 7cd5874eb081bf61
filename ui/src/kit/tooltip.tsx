import { component$, Slot } from '@builder.io/qwik'

export interface TooltipProps {
  /** More than the label says. Shown on hover and focus, never the only place of a fact. */
  text: string
}

/** Text on hover and focus of the control inside. Without a control inside, the content itself can be focused. */
export const Tooltip = component$<TooltipProps & { focusable?: boolean | undefined }>(({ text, focusable }) => (
  <span data-tooltip={text} tabIndex={focusable ? 0 : undefined} class="inline-flex max-w-full">
    <Slot />
  </span>
))
