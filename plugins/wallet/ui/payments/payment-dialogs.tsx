import { component$, type Signal } from '@builder.io/qwik'
import type { Wallet } from '../account/runway-policy.ts'
import { ApproveDialog } from './approve-dialog.tsx'
import { FundDialog } from './fund-dialog.tsx'
import { WithdrawDialog } from './withdraw-dialog.tsx'

interface PaymentDialogsProps {
  /** Kind of the payment, from the address. */
  kind: string
  open: Signal<boolean>
  wallet: Wallet
}

export const PaymentDialogs = component$<PaymentDialogsProps>(({ kind, open, wallet }) => {
  if (kind === 'fund') return <FundDialog open={open} wallet={wallet} />
  if (kind === 'withdraw') return <WithdrawDialog open={open} wallet={wallet} />
  return kind === 'approve' ? <ApproveDialog open={open} wallet={wallet} /> : null
})
