import { $, component$, type QRL, useId, useSignal } from '@builder.io/qwik'
import type { Route } from '../data/endpoints.ts'
import { refusalOf } from '../data/refusals.ts'
import { buttonClass } from './button.tsx'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'

export interface MenuItem {
  readonly id: string
  readonly label: string
  readonly icon?: IconName | undefined
  /** A link instead of an action. `download` for files. */
  readonly to?: string | undefined
  readonly download?: boolean | undefined
  readonly danger?: boolean | undefined
  /** Why it cannot be done now. It is shown, read out and does nothing. */
  readonly lockedReason?: string | undefined
  /** The route that it leads to: not shown for a role that may not use it. */
  readonly changes?: Route | undefined
  /** A line above it. */
  readonly separated?: boolean | undefined
}

interface MenuProps {
  /** Name of the button for screen readers. */
  label: string
  items: readonly MenuItem[]
  onChoose$?: QRL<(id: string, of: string) => void> | undefined
  /** What the actions are for: the second argument of `onChoose$`. */
  of?: string | undefined
  icon?: IconName | undefined
  /** Shows `label` on the button, which is small. */
  text?: boolean | undefined
  align?: 'start' | 'end' | undefined
}

/** A button with a list of actions: the browser's popover, arrow keys, Esc. */
export const Menu = component$<MenuProps>(({ label, items, onChoose$, of = '', icon = 'ellipsis', text, align = 'end' }) => {
  const id = useId()
  // The entries of a closed menu are not in the document: a table has one menu per row.
  const used = useSignal(false)
  const use = $(() => {
    used.value = true
  })
  // Read once for each drawing: a table has one menu per row, and a sign-in draws its rows again.
  const shown = items.filter(({ changes }) => !refusalOf(changes))
  if (shown.length === 0) return null
  return (
    <>
      <button
        type="button"
        popovertarget={id}
        aria-haspopup="menu"
        aria-expanded="false"
        onPointerEnter$={use}
        onFocus$={use}
        onClick$={use}
        aria-label={text ? undefined : label}
        class={text ? buttonClass('secondary', 'sm') : [buttonClass('ghost'), 'w-8! px-0!', 'h-8!']}
      >
        <Icon name={icon} />
        {text && label}
        {text && <Icon name="chevron-down" size={14} class="text-muted" />}
      </button>
      <div
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        data-anchored={align}
        data-roving="vertical"
        class="kit-rise fixed inset-auto m-0 min-w-48 max-w-[min(20rem,calc(100vw-16px))] rounded-md border-edge p-1"
      >
        {used.value && shown.map((item) => <MenuEntry key={item.id} item={item} of={of} onChoose$={onChoose$} />)}
      </div>
    </>
  )
})

interface MenuEntryProps extends Pick<MenuProps, 'of' | 'onChoose$'> {
  item: MenuItem
}

const MenuEntry = component$<MenuEntryProps>(({ item, of = '', onChoose$ }) => {
  const content = (
    <>
      {item.icon ? <Icon name={item.icon} class="mt-0.5" /> : <span class="w-4" />}
      <span class="min-w-0 flex-1 text-start [overflow-wrap:anywhere]">
        {item.label}
        {item.lockedReason && <span class="block text-xs">{item.lockedReason}</span>}
      </span>
    </>
  )
  const look = [
    'flex w-full items-start gap-2.5 rounded-sm px-2.5 py-1.5 text-sm outline-offset-[-2px] focus:bg-sunken',
    item.lockedReason
      ? 'cursor-not-allowed text-muted'
      : item.danger
        ? 'text-danger hover:bg-danger-soft focus:bg-danger-soft'
        : 'hover:bg-sunken',
  ]
  return (
    <>
      {item.separated && <hr class="mx-1 my-1 border-line" />}
      {item.to && !item.lockedReason ? (
        <a role="menuitem" tabIndex={-1} data-roving-item="" href={item.to} download={item.download || undefined} class={look}>
          {content}
        </a>
      ) : (
        <button
          type="button"
          role="menuitem"
          tabIndex={-1}
          data-roving-item=""
          aria-disabled={item.lockedReason ? 'true' : undefined}
          data-changes={item.changes}
          onClick$={() => (item.lockedReason ? undefined : onChoose$?.(item.id, of))}
          class={look}
        >
          {content}
        </button>
      )}
    </>
  )
})
