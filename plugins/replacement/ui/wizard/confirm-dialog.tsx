import { $, component$, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Checkbox, Confirm, formatMoney } from '@svc/ui-kit'
import type { Estimate } from './use-estimate.ts'
import type { Candidate } from './wizard-policy.ts'

interface ConfirmDialogProps {
  open: Signal<boolean>
  bucket: string
  /** Id of the provider to replace. */
  source: string
  /** Absent: svc chooses. */
  target: Candidate | undefined
  estimate: Estimate | undefined
  pending: boolean
  error: string | undefined
  onConfirm$: QRL<() => void>
}

/** The last question, with the amounts, a statement to accept and the name of the bucket to type. */
export const ConfirmDialog = component$<ConfirmDialogProps>((props) => {
  const accepted = useSignal(false)
  useTask$(({ track }) => {
    // New prices must be accepted again.
    track(() => [props.open.value, props.estimate?.price_fingerprint])
    accepted.value = false
  })
  const { estimate, target } = props
  const confirm = $(() => (accepted.value ? props.onConfirm$() : undefined))
  return (
    <Confirm
      open={props.open}
      level="typed"
      word={props.bucket}
      title={`Replace provider ${props.source}?`}
      description="It begins at once and cannot be undone after uploads have moved."
      rows={[
        { label: 'New provider', to: target ? `${target.provider_identity.name} · provider ${target.provider_id}` : 'svc chooses' },
        ...(estimate ? priceRows(estimate) : []),
      ]}
      confirmLabel="Replace"
      pending={props.pending}
      lockedReason={accepted.value ? undefined : 'Accept first what it does.'}
      error={props.error}
      onConfirm$={confirm}
    >
      <Checkbox
        value={accepted}
        name="accept-replacement"
        label="Create a paid service, move the replica, and end the old service"
        help="Both services are paid until the old one has ended."
        disabled={props.pending}
      />
    </Confirm>
  )
})

const usdfc = (amount: string): string => `${formatMoney(amount, { digits: 6 })} USDFC`

const priceRows = ({ fee, lock, rate }: Estimate) => [
  { label: 'Fees, once', to: usdfc(fee) },
  { label: 'Locked', to: usdfc(lock) },
  { label: 'New service', to: `${usdfc(rate.per_month)} per month` },
]
