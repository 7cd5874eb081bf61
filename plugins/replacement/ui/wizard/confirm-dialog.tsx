import { $, component$, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { ActionPrice, type ActionPriceProps, Checkbox, Confirm } from '@svc/ui-kit'
import { NoPrice } from './no-price.tsx'
import type { Candidate, DataSet } from './wizard-policy.ts'

interface ConfirmDialogProps {
  open: Signal<boolean>
  bucket: string
  dataSet: DataSet
  /** Absent: svc chooses. */
  target: Candidate | undefined
  terms: ActionPriceProps['terms']
  pending: boolean
  error: ActionPriceProps['error']
  onConfirm$: QRL<() => void>
}

/** The last question, with the price, a statement to accept and the name of the bucket to type. */
export const ConfirmDialog = component$<ConfirmDialogProps>((props) => {
  const accepted = useSignal(false)
  useTask$(({ track }) => {
    // New prices must be accepted again.
    track(() => [props.open.value, props.terms.headers])
    accepted.value = false
  })
  const { dataSet, target, terms } = props
  const confirm = $(() => (accepted.value && !props.terms.lockedReason ? props.onConfirm$() : undefined))
  return (
    <Confirm
      open={props.open}
      level="typed"
      changes="POST /buckets/:name/data-sets/:id/replacement"
      word={props.bucket}
      title={`Replace provider ${dataSet.provider_id}?`}
      description="It begins at once and cannot be undone after uploads have moved."
      rows={[{ label: 'New provider', to: target ? `${target.provider_identity.name} · provider ${target.provider_id}` : 'svc chooses' }]}
      confirmLabel="Replace"
      pending={props.pending}
      lockedReason={terms.lockedReason ?? (accepted.value ? undefined : 'Accept first what it does.')}
      onConfirm$={confirm}
    >
      {props.open.value && (
        <ActionPrice action={{ kind: 'replacement', data_set_id: dataSet.id }} terms={terms} error={props.error}>
          <NoPrice />
        </ActionPrice>
      )}
      <Checkbox
        value={accepted}
        name="accept-replacement"
        label="Create a paid service, move the replica, and end the old service"
        help="Both services are paid until the old one has ended."
        disabled={props.pending || terms.lockedReason !== undefined}
      />
    </Confirm>
  )
})
