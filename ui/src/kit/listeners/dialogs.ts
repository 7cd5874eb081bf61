/** Keeps a dialog with `data-locked` open while its action runs: Esc must be refused before the browser closes it. */
export function listenForDialogs(target: EventTarget): void {
  target.addEventListener('cancel', keepLocked, { capture: true })
  target.addEventListener('keydown', onKey as EventListener, { capture: true })
  target.addEventListener('click', onClick as EventListener)
}

function keepLocked(event: Event): void {
  if ((event.target as Element | null)?.matches?.('dialog[data-locked]')) event.preventDefault()
}

/** Chrome closes on the second Esc without asking; a refused key never asks. */
function onKey(event: KeyboardEvent): void {
  if (event.key === 'Escape' && document.querySelector('dialog[data-locked]:modal')) event.preventDefault()
}

/** A click on the backdrop closes a sheet. Other dialogs may hold typed text. */
function onClick(event: MouseEvent): void {
  const dialog = event.target as Element | null
  if (!(dialog instanceof HTMLDialogElement) || !dialog.matches('[data-light-dismiss]:not([data-locked])')) return
  const box = dialog.getBoundingClientRect()
  const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom
  if (!inside) dialog.close()
}
