/** One tooltip for the page: shows the text of `[data-tooltip]` on hover and focus. Esc hides it. It stays while the pointer is on it. */
import { placeAt } from './popovers.ts'

const tipId = 'kit-tooltip'
const hideDelayMs = 80

let shownFor: HTMLElement | undefined
let hiding: ReturnType<typeof setTimeout> | undefined

export function listenForTooltips(target: Document): void {
  target.addEventListener('pointerover', onPoint as EventListener)
  target.addEventListener('focusin', onFocus as EventListener)
  target.addEventListener('focusout', hide)
  target.addEventListener('keydown', onKey as EventListener)
  target.addEventListener('scroll', hide, { capture: true, passive: true })
}

function onPoint(event: PointerEvent): void {
  if (event.pointerType === 'touch') return
  const over = event.target as Element | null
  if (over?.id === tipId) clearTimeout(hiding)
  else if (over) follow(over.closest<HTMLElement>('[data-tooltip]'))
}

function onFocus(event: FocusEvent): void {
  const owner = (event.target as Element | null)?.closest<HTMLElement>('[data-tooltip]')
  if (owner?.matches(':has(:focus-visible), :focus-visible')) follow(owner)
}

function onKey(event: KeyboardEvent): void {
  if (event.key === 'Escape') hide()
}

function follow(owner: HTMLElement | null): void {
  clearTimeout(hiding)
  if (owner && owner !== shownFor) show(owner)
  else if (!owner && shownFor) hiding = setTimeout(hide, hideDelayMs)
}

function show(owner: HTMLElement): void {
  const text = owner.dataset.tooltip ?? ''
  if (text === '') return
  hide()
  const tip = findTip(owner)
  tip.textContent = text
  shownFor = owner
  describedPart(owner).setAttribute('aria-describedby', tipId)
  tip.showPopover()
  placeAt(tip, owner.getBoundingClientRect(), 'center')
}

function hide(): void {
  if (!shownFor) return
  describedPart(shownFor).removeAttribute('aria-describedby')
  shownFor = undefined
  const tip = document.getElementById(tipId)
  if (tip?.matches(':popover-open')) tip.hidePopover()
}

const describedPart = (owner: HTMLElement) => owner.querySelector<HTMLElement>('button, a, input, [tabindex]') ?? owner

/** Places it inside the open dialog when the owner is there: what is outside a modal dialog is inert. */
function findTip(owner: HTMLElement): HTMLElement {
  const home = owner.closest('dialog') ?? document.body
  const tip = document.getElementById(tipId) ?? document.createElement('div')
  if (tip.id === '') {
    tip.id = tipId
    tip.setAttribute('role', 'tooltip')
    tip.setAttribute('popover', 'manual')
    tip.className =
      'fixed inset-auto m-0 max-w-80 rounded-sm border-edge bg-fg px-2 py-1 text-xs text-bg [overflow-wrap:anywhere] [unicode-bidi:plaintext]'
  }
  if (tip.parentElement !== home) home.append(tip)
  return tip
}
