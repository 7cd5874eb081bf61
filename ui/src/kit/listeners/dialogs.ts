/**
 * Esc and clicks on the backdrop, before the browser closes a dialog. One with `data-locked` stays open while its action runs; in one with
 * `data-asks` they press its close button, which asks.
 */
export function listenForDialogs(target: EventTarget): void {
  target.addEventListener('cancel', onCancel, { capture: true })
  target.addEventListener('keydown', onKey as EventListener, { capture: true })
  target.addEventListener('click', onClick as EventListener)
}

function onCancel(event: Event): void {
  const dialog = event.target
  if (dialog instanceof HTMLDialogElement && mustStayOpen(dialog)) event.preventDefault()
}

/** Chrome closes on the second Esc without asking; a refused key never asks. */
function onKey(event: KeyboardEvent): void {
  const dialog = event.key === 'Escape' ? modalOf(event) : undefined
  if (dialog && mustStayOpen(dialog)) event.preventDefault()
}

/** A click on the backdrop closes a sheet. Other dialogs may hold typed text. */
function onClick(event: MouseEvent): void {
  const dialog = event.target as Element | null
  if (!(dialog instanceof HTMLDialogElement) || !dialog.matches('[data-light-dismiss]')) return
  const box = dialog.getBoundingClientRect()
  const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom
  if (!inside && !mustStayOpen(dialog)) dialog.close()
}

/** The modal that has the focus, else the latest in the document: a question stands behind the dialog that asks it. */
function modalOf({ target }: Event): HTMLDialogElement | undefined {
  const focused = target instanceof Element ? target.closest<HTMLDialogElement>('dialog:modal') : null
  return focused ?? [...document.querySelectorAll<HTMLDialogElement>('dialog:modal')].at(-1)
}

function mustStayOpen(dialog: HTMLDialogElement): boolean {
  if (dialog.matches('[data-locked]')) return true
  if (!dialog.matches('[data-asks]')) return false
  dialog.querySelector<HTMLElement>('[data-modal-close]')?.click()
  return true
}
