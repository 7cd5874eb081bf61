import { component$, type QRL, type Signal, Slot } from '@builder.io/qwik'
import { Button, CancelButton, type ConfirmProps, Dialog, ErrorAlert, RadioGroup } from '@svc/ui-kit'
import { roles } from './user-policy.ts'

interface RoleStepsProps
  extends Pick<ConfirmProps, 'open' | 'title' | 'description' | 'pending' | 'onClose$' | 'changes' | 'lockedReason'> {
  role: Signal<string>
  /** The second step. */
  isReview: Signal<boolean>
  error: { readonly message: string } | undefined
  submitLabel: string
  onSubmit$: QRL<() => void>
}

/** Chooses a role, then asks for a review. Slot: the review. */
export const RoleSteps = component$<RoleStepsProps>((props) => (
  <Dialog open={props.open} title={props.title} description={props.description} pending={props.pending} onClose$={props.onClose$}>
    <div class="flex flex-col gap-4">
      {!props.isReview.value && <RadioGroup label="Role" value={props.role} options={roles} />}
      <Slot />
      <ErrorAlert error={props.error} />
    </div>
    {props.isReview.value && (
      <Button
        q:slot="footer"
        disabled={props.pending}
        onClick$={() => {
          props.isReview.value = false
        }}
      >
        Back
      </Button>
    )}
    <CancelButton q:slot="footer" open={props.open} pending={props.pending} />
    <Button
      q:slot="footer"
      variant="primary"
      changes={props.changes}
      pending={props.pending}
      lockedReason={props.lockedReason}
      onClick$={props.onSubmit$}
    >
      {props.submitLabel}
    </Button>
  </Dialog>
))
