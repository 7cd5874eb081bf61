import { $, component$, type QRL, type Signal, Slot, useId, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { Button, IconButton } from './button.tsx'
import { showHidden } from './format/ids.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'
import { type Tone, toneBox } from './tone.ts'

export interface ModalProps {
  /** Written by the modal when it closes. */
  open: Signal<boolean>
  title: string
  description?: string | undefined
  /** Its action runs: it cannot be closed. */
  pending?: boolean | undefined
  onClose$?: QRL<() => void> | undefined
  /** Called in place of closing by Esc, the close button and the backdrop, where closing loses something. It may ask first, and writes `open`. */
  onCloseAsked$?: QRL<() => void> | undefined
}

interface DialogProps extends ModalProps {
  size?: 'sm' | 'md' | 'lg' | undefined
  /** Interrupts: read out at once. */
  alert?: boolean | undefined
  icon?: IconName | undefined
  tone?: Tone | undefined
}

const widths = { sm: 'w-100', md: 'w-140', lg: 'w-220' } as const

/**
 * A modal on the browser's `<dialog>`: it holds the focus and gives it back to the opener. Esc closes it unless it is pending or asks first.
 * The first `[data-autofocus]`, field or button is focused. Slots: default, `footer` (buttons).
 */
export const Dialog = component$<DialogProps>((props) => {
  const dialog = useModal(props)
  const id = useId()
  return (
    <dialog
      ref={dialog}
      role={props.alert ? 'alertdialog' : undefined}
      aria-labelledby={`${id}-title`}
      aria-describedby={props.description ? `${id}-text` : undefined}
      data-locked={props.pending ? '' : undefined}
      data-asks={props.onCloseAsked$ ? '' : undefined}
      onClose$={closed(props)}
      class={[
        'kit-rise fixed m-auto max-h-[min(86dvh,60rem)] max-w-[calc(100vw-24px)] flex-col rounded-lg p-0 open:flex',
        widths[props.size ?? 'md'],
      ]}
    >
      <header class="flex items-start gap-3 px-5 pt-4 pb-3">
        {props.icon && (
          <span class={['flex size-9 shrink-0 items-center justify-center rounded-md border', toneBox[props.tone ?? 'neutral']]}>
            <Icon name={props.icon} size={18} />
          </span>
        )}
        <div class="min-w-0 flex-1 pt-1 [overflow-wrap:anywhere]">
          <h2 id={`${id}-title`} class="text-lg font-semibold">
            {showHidden(props.title)}
          </h2>
          {props.description && (
            <p id={`${id}-text`} class="mt-1 text-sm text-muted">
              {props.description}
            </p>
          )}
        </div>
        {closeButton(dialog, props)}
      </header>
      {contentAndFooter('pb-5')}
    </dialog>
  )
})

/** A panel at the right edge, for the details of one thing. A click beside it closes it. Slots as in Dialog. */
export const Sheet = component$<ModalProps & { size?: 'md' | 'lg' | undefined }>((props) => {
  const dialog = useModal(props)
  const id = useId()
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      data-locked={props.pending ? '' : undefined}
      data-asks={props.onCloseAsked$ ? '' : undefined}
      data-light-dismiss=""
      onClose$={closed(props)}
      class={[
        'kit-slide fixed inset-y-0 right-0 left-auto m-0 h-dvh max-h-none max-w-full flex-col border-y-0 border-r-0 p-0 open:flex',
        props.size === 'lg' ? 'w-190' : 'w-120',
      ]}
    >
      <header class="flex items-start gap-3 border-b px-5 py-3.5">
        <div class="min-w-0 flex-1 pt-0.5 [overflow-wrap:anywhere]">
          <h2 id={`${id}-title`} class="text-lg font-semibold">
            <bdi>{showHidden(props.title)}</bdi>
          </h2>
          {props.description && <p class="mt-0.5 text-sm text-muted">{props.description}</p>}
        </div>
        {closeButton(dialog, props)}
      </header>
      {contentAndFooter('py-4')}
    </dialog>
  )
})

const closeButton = (dialog: Signal<HTMLDialogElement | undefined>, { pending, onCloseAsked$ }: ModalProps) => (
  <IconButton
    icon="x"
    label="Close"
    size="sm"
    disabled={pending}
    data-modal-close=""
    onClick$={$(() => (onCloseAsked$ ? onCloseAsked$() : dialog.value?.close()))}
  />
)

/** A call, not a component: the slots are those of the modal. */
const contentAndFooter = (padding: string) => (
  <>
    <div data-modal-body="" class={['min-h-0 flex-1 overflow-y-auto px-5', padding]}>
      <Slot />
    </div>
    <footer class="flex flex-wrap justify-end gap-2 border-t bg-bg px-5 py-3 empty:hidden">
      <Slot name="footer" />
    </footer>
  </>
)

/** Modals that the signal closed, not the user: the signal may ask for them again before their event arrives. */
const closedBySignal = new WeakSet<HTMLDialogElement>()

const closed = ({ open, onClose$ }: ModalProps) =>
  $(async (_: Event, element: HTMLDialogElement) => {
    const isOwn = closedBySignal.delete(element)
    // This code loads late: the dialog may be open again.
    if (element.open || (isOwn && open.value)) return
    open.value = false
    await onClose$?.()
  })

/** Gets the focus instead of the button that closes it, which is first in the document. In a group of radio buttons the checked one has the focus. */
const firstField = '[data-modal-body] :is(input:not([type=radio]:not(:checked)), select, textarea):not(:disabled)'

/** Opens and closes the element with the signal. */
const useModal = (props: ModalProps) => {
  const dialog = useSignal<HTMLDialogElement>()
  // biome-ignore lint/correctness/noQwikUseVisibleTask: the browser opens a dialog only by a call on its element
  useVisibleTask$(
    ({ track }) => {
      const wanted = track(() => props.open.value)
      const element = dialog.value
      if (!element || element.hasAttribute('open') === wanted) return
      if (!wanted) {
        closedBySignal.add(element)
        element.close()
        return
      }
      element.showModal()
      const first = element.querySelector<HTMLElement>('[data-autofocus]') ?? element.querySelector<HTMLElement>(firstField)
      first?.focus()
    },
    { strategy: 'document-ready' },
  )
  return dialog
}

interface CancelButtonProps {
  open: Signal<boolean>
  pending?: boolean | undefined
}

/** Closes the dialog, for its slot `footer`. */
export const CancelButton = component$<CancelButtonProps>(({ open, pending }) => (
  <Button
    disabled={pending}
    onClick$={() => {
      open.value = false
    }}
  >
    Cancel
  </Button>
))
