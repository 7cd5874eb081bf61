import { $, component$, type QRL, type Signal, Slot, useId } from '@builder.io/qwik'
import { Alert, Button, CancelButton, type ConfirmProps, Dialog, setSearch, useRefusal } from '@svc/ui-kit'

interface PaymentDialogProps {
  open: Signal<boolean>
  title: string
  description: string
  confirmLabel: string
  changes: ConfirmProps['changes']
  pending: boolean
  /** Why it cannot be confirmed. */
  lockedReason: string | undefined
  /** An answer was lost. */
  isUncertain: boolean
  /** `written`: the amount in the form, which is newer than what was drawn. */
  onConfirm$: QRL<(written: string) => unknown>
}

/** The frame of a payment: it stays while the request runs, and after a refusal with its fields. Slot: fields and price. */
export const PaymentDialog = component$<PaymentDialogProps>((props) => {
  const formId = useId()
  const refused = useRefusal()(props.changes)
  const submit = $((_: SubmitEvent, form: HTMLFormElement) =>
    props.pending || props.lockedReason ? undefined : props.onConfirm$(String(new FormData(form).get('amount') ?? '')),
  )
  return (
    <Dialog
      open={props.open}
      title={props.title}
      description={props.description}
      pending={props.pending}
      onClose$={() => setSearch({ do: null, days: null }, { replace: true })}
    >
      <form id={formId} preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
        {/* Enter in a field would send the form without its button. */}
        {refused ? <Alert tone="neutral">{refused}</Alert> : <Slot />}
        {props.isUncertain && (
          <Alert tone="info" title="The request may have arrived">
            Send it again: it carries the same id, so that it is never paid twice. If you close this dialog, look at the operations first.
          </Alert>
        )}
      </form>
      <CancelButton q:slot="footer" open={props.open} pending={props.pending} />
      <Button
        q:slot="footer"
        type="submit"
        form={formId}
        variant="primary"
        changes={props.changes}
        pending={props.pending}
        pendingLabel="Sending the request"
        lockedReason={props.lockedReason}
      >
        {props.confirmLabel}
      </Button>
    </Dialog>
  )
})
