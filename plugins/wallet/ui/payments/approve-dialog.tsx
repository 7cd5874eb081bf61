import { $, component$, type Signal } from '@builder.io/qwik'
import { ActionPrice, KeyValue, KeyValues, Money } from '@svc/ui-kit'
import { type Allowance, readAllowances } from '../account/approval-words-policy.ts'
import type { Wallet } from '../account/runway-policy.ts'
import { PaymentDialog } from './payment-dialog.tsx'
import { usePayment } from './use-payment.ts'

/** Sets the allowances of the storage service to the limits of the settings. */
export const ApproveDialog = component$<{ open: Signal<boolean>; wallet: Wallet }>((props) => {
  const { action, pay, terms, uncertain } = usePayment('approve', props.open)
  const { contracts, chain } = props.wallet
  const allowances = contracts?.approval && chain && readAllowances(contracts.approval, chain.epoch_duration_seconds)
  const confirm = $(() => pay(0n))
  return (
    <PaymentDialog
      open={props.open}
      title="Approve the storage service"
      description="Sets what the storage service may charge and lock to the limits of chain.spending in the configuration file. Without a difference no transaction is sent."
      confirmLabel="Approve"
      changes="POST /wallet/approve"
      pending={action.isPending}
      lockedReason={terms.lockedReason}
      isUncertain={uncertain.value !== undefined}
      onConfirm$={confirm}
    >
      {allowances && (
        <KeyValues>
          <KeyValue label="Rate in 30 days, allowed now">
            <Allowed allowance={allowances.rate} />
          </KeyValue>
          <KeyValue label="Locked, allowed now">
            <Allowed allowance={allowances.lockup} />
          </KeyValue>
        </KeyValues>
      )}
      <ActionPrice action={{ kind: 'approve' }} terms={terms} error={action.error} />
    </PaymentDialog>
  )
})

const Allowed = ({ allowance: { allowed, used, isUnlimited } }: { allowance: Allowance }) => (
  <>
    {isUnlimited ? 'no limit' : <Money value={allowed} price />}, <Money value={used} price /> used
  </>
)
