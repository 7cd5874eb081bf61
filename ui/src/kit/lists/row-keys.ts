/**
 * Keys of all lists: j and k, or the arrows, move the focus from row to row; Enter opens a row, x or space selects it. A list has `data-list`,
 * its rows `data-row` and the cell with their name `data-row-name`. The shell asks here for keys that are its own neither.
 */
import { listKeys } from '../listeners/list-keys.ts'

export function installRowKeys(): void {
  listKeys.run = runRowKey
}

const steps: Readonly<Record<string, number>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }
const ownKeys: ReadonlySet<string> = new Set([...Object.keys(steps), 'Enter', 'x', ' '])

function runRowKey({ key, target, shiftKey }: Pick<KeyboardEvent, 'key' | 'target' | 'shiftKey'>): boolean {
  const focused = target as Element | null
  // Open menus and groups of tabs have their own arrows; the list behind them stays where it is.
  if (shiftKey || focused?.closest?.('[data-roving-item]') || document.querySelector('[role="menu"]:popover-open')) return false
  const row = focused?.closest?.<HTMLElement>('[data-row]') ?? lostRow(focused) ?? null
  const step = steps[key]
  if (step !== undefined) {
    // Arrows scroll the page until a row has the focus.
    if (row) return focusRow(neighbour(row, step)) || stepLater(row, step)
    return key.length === 1 && focusRow(firstInView())
  }
  if (!row) return false
  // Its controls keep their own Enter and space.
  const isOnRow = focused === row || focused === document.body
  if (key === 'x' || (key === ' ' && isOnRow)) return click(row.querySelector('input[type="checkbox"]'))
  return (
    key === 'Enter' && isOnRow && click(row.querySelector('[data-row-name] :is(a[href], button)') ?? row.querySelector('a[href], button'))
  )
}

function neighbour(row: HTMLElement, step: number): HTMLElement | undefined {
  const rows = rowsOf(row.closest('[data-list]'))
  return rows[rows.indexOf(row) + step]
}

/** The first row of the page that is in view, or the first of all. */
function firstInView(): HTMLElement | undefined {
  const lists = [...document.querySelectorAll('#main [data-list]')].flatMap(rowsOf)
  return lists.find((row) => row.getBoundingClientRect().top >= headHeight) ?? lists[0]
}

/** The bar of the page and the head of a table cover rows above. */
const headHeight = 52

const rowsOf = (list: Element | null): HTMLElement[] =>
  list ? [...list.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.checkVisibility()) : []

function focusRow(row: HTMLElement | undefined): boolean {
  if (!row) return false
  row.focus({ preventScroll: true })
  keepFocus(row)
  row.scrollIntoView({ block: 'nearest' })
  return true
}

/** A long list makes the next row a moment after it was scrolled: the step is taken then. */
function stepLater(row: HTMLElement, step: number): false {
  keepFocus(row)
  kept.later = { step, untilMs: Date.now() + laterMs }
  return false
}

/** Longer than a busy browser needs; a row that appears at the end later is not entered. */
const laterMs = 3000

interface KeptFocus {
  observer?: MutationObserver
  list?: HTMLElement | undefined
  id?: string | undefined
  /** A step that waits for its row. */
  later?: { readonly step: number; readonly untilMs: number } | undefined
}

const kept: KeptFocus = {}

/**
 * A long list exchanges its rows while it scrolls: one that is moved or made anew for that loses the focus, and gets it back, until the
 * operator leaves it by another key or the pointer.
 */
function keepFocus(row: HTMLElement): void {
  kept.observer?.disconnect()
  const list = row.closest<HTMLElement>('[data-list]')
  if (!list) return
  Object.assign(kept, { list, id: row.dataset.row, later: undefined })
  kept.observer = new MutationObserver(restoreFocus)
  kept.observer.observe(list, { childList: true })
  // A repeat adds nothing.
  document.addEventListener('pointerdown', forgetFocus, { capture: true })
  document.addEventListener('keydown', leaveByKey, { capture: true })
}

function restoreFocus(): void {
  lostRow(document.activeElement)?.focus({ preventScroll: true })
  const row = document.activeElement?.closest<HTMLElement>('[data-row]')
  if (!row || row.dataset.row !== kept.id || !kept.later || Date.now() > kept.later.untilMs) return
  focusRow(neighbour(row, kept.later.step))
}

const leaveByKey = ({ key }: KeyboardEvent): void => {
  if (!ownKeys.has(key)) forgetFocus()
}

function forgetFocus(): void {
  kept.observer?.disconnect()
  kept.list = undefined
}

/** The row that had the focus, when nothing has it now. */
function lostRow(focused: Element | null): HTMLElement | undefined {
  if (focused !== document.body || !kept.list?.isConnected) return undefined
  return rowsOf(kept.list).find((row) => row.dataset.row === kept.id)
}

function click(control: HTMLElement | null): boolean {
  control?.click()
  return control !== null
}
