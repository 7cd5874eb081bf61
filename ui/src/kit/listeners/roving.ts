/**
 * Arrow keys, Home and End within `[data-roving]`: menus, tabs, radio groups, maps. Items carry `data-roving-item`.
 * `data-roving="horizontal" | "vertical" | "both"`; with `data-roving-select` the focused item is also clicked.
 * One listener for the page: handlers of components load on first use, too late to keep the page from scrolling.
 */
export function listenForRoving(target: EventTarget): void {
  target.addEventListener('keydown', onKey as EventListener)
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  const item = (event.target as Element | null)?.closest?.('[data-roving-item]')
  const group = item?.closest<HTMLElement>('[data-roving]')
  if (!item || !group) return
  const items = [...group.querySelectorAll<HTMLElement>('[data-roving-item]')].filter(
    (candidate) => candidate.closest('[data-roving]') === group && !candidate.hasAttribute('disabled'),
  )
  const next = items[toNextIndex(event.key, items.indexOf(item as HTMLElement), items.length, group)]
  if (!next) return
  event.preventDefault()
  for (const other of items) other.setAttribute('tabindex', other === next ? '0' : '-1')
  next.focus()
  if (group.dataset.rovingSelect !== undefined) next.click()
}

/** @returns -1 for a key that moves nothing */
function toNextIndex(key: string, at: number, count: number, group: HTMLElement): number {
  const axis = group.dataset.roving
  const rightToLeft = getComputedStyle(group).direction === 'rtl'
  const step = stepOf(key, axis === 'horizontal', axis === 'vertical') * (rightToLeft && key.endsWith('t') ? -1 : 1)
  if (step !== 0) return (at + step + count) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : -1
}

function stepOf(key: string, onlyHorizontal: boolean, onlyVertical: boolean): number {
  if (key === 'ArrowDown' && !onlyHorizontal) return 1
  if (key === 'ArrowUp' && !onlyHorizontal) return -1
  if (key === 'ArrowRight' && !onlyVertical) return 1
  if (key === 'ArrowLeft' && !onlyVertical) return -1
  return 0
}
