import { $, component$, type QRL, Slot, useId, useSignal, useTask$ } from '@builder.io/qwik'
import type { Route } from '../data/endpoints.ts'
import { refusalOf } from '../data/refusals.ts'
import { Button } from './button.tsx'
import { Dialog, type ModalProps } from './dialog.tsx'
import { ErrorAlert } from './error-alert.tsx'
import { Field } from './fields/field.tsx'
import { TextInput } from './fields/text-input.tsx'
import { absent } from './format/absent.ts'
import { showHidden } from './format/ids.ts'

interface ReviewRow {
  readonly label: string
  /** Absent for a fact that does not change. */
  readonly from?: string | undefined
  readonly to: string
}

export interface ConfirmProps extends ModalProps {
  /** `review`: a table of what changes. `danger`: cannot be undone; Cancel is focused. `typed`: danger with a word to type. */
  level: 'review' | 'danger' | 'typed'
  rows?: readonly ReviewRow[] | undefined
  confirmLabel: string
  /** Default: Cancel. */
  cancelLabel?: string | undefined
  /** The exact text to type on level `typed`. */
  word?: string | undefined
  /** Keeps the dialog open and shows what happened. */
  error?: string | undefined
  /** Why confirming is off. */
  lockedReason?: string | undefined
  /** The route of the action, as in Button. */
  changes?: Route | undefined
  onConfirm$: QRL<() => void>
}

/** Asks before an action. It stays open until `open` becomes false, so that an error can be shown. Slot: more text or fields. */
export const Confirm = component$<ConfirmProps>((props) => {
  const typed = useSignal('')
  const formId = useId()
  useTask$(({ track }) => {
    if (track(() => props.open.value)) typed.value = ''
  })
  const danger = props.level !== 'review'
  // Not switched off: Enter right after the last letter must work, before this renders again. The form compares.
  const typeFirst = props.level === 'typed' && typed.value !== props.word ? `Type ${props.word} first.` : undefined
  const submit = $((_: SubmitEvent, form: HTMLFormElement) => {
    // Read from the form itself: the signal may be older than what was typed just now.
    const written = new FormData(form).get('confirm-word')
    if (props.pending || props.lockedReason || refusalOf(props.changes) || (props.level === 'typed' && written !== props.word)) return
    return props.onConfirm$()
  })
  return (
    <Dialog
      open={props.open}
      title={props.title}
      description={props.description}
      pending={props.pending}
      onClose$={props.onClose$}
      alert={danger}
      icon={danger ? 'triangle-alert' : undefined}
      tone={danger ? 'danger' : undefined}
      size={props.rows && props.rows.length > 0 ? 'md' : 'sm'}
    >
      <form id={formId} preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
        {props.rows && props.rows.length > 0 && <ReviewTable rows={props.rows} />}
        <Slot />
        {props.level === 'typed' && (
          <Field label={`Type ${props.word} to confirm`}>
            <TextInput value={typed} name="confirm-word" mono data-autofocus="" disabled={props.pending} />
          </Field>
        )}
        <ErrorAlert error={props.error ? { message: props.error } : undefined} />
      </form>
      <Button
        q:slot="footer"
        disabled={props.pending}
        data-autofocus={props.level === 'danger' ? '' : undefined}
        onClick$={() => {
          props.open.value = false
        }}
      >
        {props.cancelLabel ?? 'Cancel'}
      </Button>
      <Button
        q:slot="footer"
        type="submit"
        form={formId}
        variant={danger ? 'danger' : 'primary'}
        pending={props.pending}
        changes={props.changes}
        lockedReason={props.lockedReason ?? typeFirst}
        data-autofocus={props.level === 'review' ? '' : undefined}
      >
        {props.confirmLabel}
      </Button>
    </Dialog>
  )
})

/** What changes, from and to. */
export const ReviewTable = component$<{ rows: readonly ReviewRow[] }>(({ rows }) => {
  const changes = rows.some(({ from }) => from !== undefined)
  return (
    <div class="overflow-hidden rounded-md border">
      <table class="w-full table-fixed text-start text-sm">
        <thead class={changes ? 'bg-sunken text-xs text-muted' : 'sr-only'}>
          <tr>
            <th scope="col" class="px-3 py-1.5 text-start font-medium">
              Setting
            </th>
            {changes && (
              <th scope="col" class="px-3 py-1.5 text-start font-medium">
                Now
              </th>
            )}
            <th scope="col" class="px-3 py-1.5 text-start font-medium">
              {changes ? 'After' : 'Value'}
            </th>
          </tr>
        </thead>
        <tbody class="divide-y">
          {rows.map(({ label, from, to }) => (
            <tr key={label} class="align-top [overflow-wrap:anywhere]">
              <th scope="row" class="px-3 py-2 text-start font-normal text-muted">
                {label}
              </th>
              {changes && (
                <td class="px-3 py-2 text-muted">
                  <bdi>{from === undefined ? absent : showHidden(from)}</bdi>
                </td>
              )}
              <td class={['px-3 py-2', changes && 'font-medium']}>
                <bdi>{showHidden(to)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
})
