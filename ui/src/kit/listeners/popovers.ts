/**
 * Places every `[popover][data-anchored]` at the button that names it in `popovertarget`, and moves the focus to its first item.
 * Written through the element's style object, which the content security policy allows.
 */
const gap = 4
const margin = 8

export function listenForPopovers(target: EventTarget): void {
  // `toggle` does not bubble.
  target.addEventListener('toggle', onToggle as EventListener, { capture: true })
  target.addEventListener('click', onClick as EventListener)
}

let watched: ResizeObserver | undefined

function onToggle(event: ToggleEvent): void {
  const popover = event.target as HTMLElement
  if (!(popover instanceof HTMLElement) || popover.dataset.anchored === undefined) return
  const button = document.querySelector<HTMLElement>(`[popovertarget="${CSS.escape(popover.id)}"]`)
  button?.setAttribute('aria-expanded', String(event.newState === 'open'))
  watched?.disconnect()
  if (event.newState !== 'open' || !button) return
  // Entries may be rendered after the popover has opened: it grows then.
  watched = new ResizeObserver(() => {
    placeAt(popover, button.getBoundingClientRect(), popover.dataset.anchored)
    if (!popover.contains(document.activeElement)) popover.querySelector<HTMLElement>('[data-roving-item]')?.focus()
  })
  watched.observe(popover)
}

/** A chosen menu item closes its menu. */
function onClick(event: MouseEvent): void {
  const item = (event.target as Element | null)?.closest?.('[role="menuitem"]')
  const menu = item?.closest<HTMLElement>('[popover]')
  if (menu?.matches(':popover-open')) menu.hidePopover()
}

/** Below the anchor, or above where there is more room; inside the window. */
export function placeAt(popover: HTMLElement, anchor: DOMRect, side: string | undefined): void {
  const { offsetWidth: width, offsetHeight: height } = popover
  const below = anchor.bottom + gap
  const fits = below + height + margin <= innerHeight || anchor.top < innerHeight - anchor.bottom
  const left = side === 'end' ? anchor.right - width : side === 'center' ? anchor.left + (anchor.width - width) / 2 : anchor.left
  popover.style.left = `${Math.max(margin, Math.min(left, innerWidth - width - margin))}px`
  popover.style.top = `${fits ? below : Math.max(margin, anchor.top - gap - height)}px`
}
