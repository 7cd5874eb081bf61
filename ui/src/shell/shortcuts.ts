/** Keys of the whole dashboard. Plain listeners in eager code, because handlers of components load on first use. */
import { invalidate } from '../data/cache.ts'
import { Observable } from '../data/observable.ts'
import { boot, isSignedOut } from '../data/session.ts'
import { listKeys } from '../kit/listeners/list-keys.ts'
import { go } from '../router/location.ts'
import { togglePalette } from './palette.ts'
import { menuEntries } from './parts.ts'

export const isHelpOpen = new Observable(false)
export const isSidebarFolded = new Observable(readFlag('svc.sidebar', 'folded'))
/** WCAG 2.1.4: keys without a modifier can be switched off. */
export const areShortcutsOn = new Observable(!readFlag('svc.shortcuts', 'off'))

const sequenceMs = 1200
let startedAtMs = Number.NEGATIVE_INFINITY

export function startShortcuts(): void {
  document.addEventListener('keydown', onKey)
  isSidebarFolded.subscribe((isFolded) => saveFlag('svc.sidebar', isFolded ? 'folded' : ''))
  areShortcutsOn.subscribe((isOn) => saveFlag('svc.shortcuts', isOn ? '' : 'off'))
}

function onKey(event: KeyboardEvent): void {
  if (isSignedOut.value || (boot.value !== 'ready' && boot.value !== 'setup')) return
  const isModified = event.ctrlKey || event.metaKey
  if (isModified && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
    event.preventDefault()
    togglePalette()
    return
  }
  if (!areShortcutsOn.value || isModified || event.altKey || event.isComposing || isTyping(event.target) || isModalOpen()) return
  const isSecond = event.timeStamp - startedAtMs < sequenceMs
  startedAtMs = Number.NEGATIVE_INFINITY
  if (isSecond ? goToPage(event.key) : runKey(event)) event.preventDefault()
}

function goToPage(key: string): boolean {
  const entry = menuEntries().find((entry) => entry.key === key)
  if (entry) go(entry.to)
  return entry !== undefined
}

/** Actions of the page that is shown: the key is in `data-shortcut` of the button or field. */
function runKey(event: KeyboardEvent): boolean {
  const { key, timeStamp } = event
  if (key === 'g') startedAtMs = timeStamp
  else if (key === '?') isHelpOpen.value = true
  else if (key === '[') isSidebarFolded.value = !isSidebarFolded.value
  else if (key === 'r') invalidate()
  else return listKeys.run?.(event) || runOnPage(key)
  return true
}

function runOnPage(key: string): boolean {
  if (!/^[a-z/]$/.test(key)) return false
  const target = document.querySelector<HTMLElement>(
    key === '/' ? '[data-shortcut="/"], #main input[type="search"]' : `[data-shortcut="${key}"]`,
  )
  if (target instanceof HTMLInputElement) target.focus()
  else target?.click()
  return target !== null
}

/** Inputs that take no text: keys reach the page while they have the focus. */
const textless = 'input:is([type="checkbox"], [type="radio"], [type="button"], [type="submit"], [type="file"], [type="range"])'

/** The field of a dialog that was just closed may have the focus for a moment. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.checkVisibility() &&
  !target.matches(textless) &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const isModalOpen = (): boolean => document.querySelector('dialog:modal') !== null

function readFlag(key: string, value: string): boolean {
  try {
    return localStorage.getItem(key) === value
  } catch {
    return false
  }
}

function saveFlag(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Storage is blocked: the choice lasts as long as the tab.
  }
}
